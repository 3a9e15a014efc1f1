import { nextStep } from '@scriptorium/contracts/define-job';
import type { convertJob } from '@scriptorium/contracts/jobs/convert';
import {
  type ConversionPasswords,
  conversionPasswords,
  finishing,
} from '@scriptorium/contracts/jobs/finishing';
import { signJob } from '@scriptorium/contracts/jobs/sign';
import { unpackParts } from '@scriptorium/contracts/pack';
import { getInput, onOwnBytes } from '@scriptorium/shared/blob/exchange';
import type { BlobStore } from '@scriptorium/shared/blob/store';
import type { JobHandler, JobShare } from '@scriptorium/shared/queue/job-handler';
import type { Unseal } from '@scriptorium/shared/secrets/unsealer';
import type { z } from 'zod';
import type { FairConvert } from './shares/fair-convert.ts';
import type { Finishing } from './threads/finish-thread.ts';

/** The share of a job without a worker. */
const ALONE: JobShare = { owner: undefined, isOverBudget: false, starts: 1, spend() {}, stepAside() {} };

/** Fetches the document, converts it, and keeps the result for the gateway or the signer. */
export function convertHandler(
  convert: FairConvert,
  blobs: BlobStore,
  unseal: Unseal,
): JobHandler<z.output<typeof convertJob.input>, z.input<typeof convertJob.output>> {
  return async (input, { requestId, deadlineAt, signal, keep }, share = ALONE) => {
    const { source, options, title, thenSign } = input;
    const own: Buffer[] = [];
    const read = async (): Promise<Buffer> => {
      const bytes = await getInput(blobs, source);
      own.push(bytes);
      return bytes;
    };
    const passwords = passwordsIn(input.passwordBox, requestId, unseal);
    const pack = input.finishing && (await getInput(blobs, input.finishing));
    if (pack) own.push(pack);
    const context = {
      ...{ signal, deadlineAt, title, password: passwords.document },
      finishing: pack && finishingIn(pack, passwords),
    };
    const converted = await onOwnBytes(own, () => convert(read, options, context, share));
    const result = keep(converted.bytes);
    return {
      output: { result, contentType: converted.contentType, report: converted.report },
      next: thenSign && nextStep(signJob, { ...thenSign, source: result }),
    };
  };
}

/** Throws INTERNAL_ERROR if the gateway did not seal them for this request. */
function passwordsIn(box: string | undefined, requestId: string, unseal: Unseal): ConversionPasswords {
  if (box === undefined) return {};
  return conversionPasswords.parse(JSON.parse(unseal(requestId, box).toString()));
}

function finishingIn(pack: Buffer, { user, owner }: ConversionPasswords): Finishing {
  const [head, ...files] = unpackParts(pack);
  const { attachments, isEncrypted, permissions, ...others } = finishing.parse(JSON.parse(`${head}`));
  return {
    ...others,
    attachments: attachments.map((attachment, at) => ({
      ...attachment,
      bytes: files[at] ?? Buffer.alloc(0),
    })),
    ...(isEncrypted && { encryption: { user, owner, permissions } }),
  };
}
