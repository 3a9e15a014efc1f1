import { createHash } from 'node:crypto';
import type { SignedCore } from '@scriptorium/pki/cms';
import { PkiError } from '@scriptorium/pki/error';
import type { ValidationData } from '@scriptorium/pki/revocation';
import { PDF_TYPE } from '../document-type.ts';
import { isAtLeast, levelWith, type SignatureLevel } from '../levels.ts';
import {
  type EarlierSignature,
  earlierSignatures,
  refuseBrokenSignatures,
} from '../pades/earlier-signatures.ts';
import { type ReadPdf, readPdf } from '../pades/read-pdf.ts';
import { hasStoredAnswers } from '../pades/stored-validation-data.ts';
import { addValidationData } from '../pades/validation-data.ts';
import { SignatureError } from '../signature-error.ts';
import { READERS_MAY_REFUSE, stampDocument } from './augment.ts';
import {
  type Augmented,
  type AugmentRequest,
  type AugmentTools,
  chosenSignatures,
  targetLevel,
} from './augment-tools.ts';
import { timestamperFor } from './sign-tools.ts';

const DAY_MS = 86_400_000;

/** A signature that could be read. */
type Sound = EarlierSignature & { core: SignedCore };

/** The signatures of one PDF, and what protects them. */
interface Standing {
  pdf: ReadPdf;
  people: Sound[];
  /** The time-stamps over the document, oldest first. */
  stamps: Sound[];
}

/**
 * Augments for `augmentDocument`: a time-stamp over the document for B-T, the validation data of all signatures for B-LT,
 * and a time-stamp over these for B-LTA (EN 319 142-1, 5.4 and 6.3). All follows the original bytes.
 */
export async function augmentPdf(request: AugmentRequest, tools: AugmentTools): Promise<Augmented> {
  const { source, augmentation, password } = request;
  const standing = standingOf(readPdf(source, password));
  const chosen = chosenSignatures(standing.people, augmentation, ({ fieldName }) => fieldName);
  const before = chosen.map((signature) => levelOf(signature, standing));
  const target = targetLevel(augmentation, before);
  const plan = planOf(request, { standing, before, target, now: tools.now() });
  if (plan.length === 0) return answer(source, false, { standing, chosen, before, after: before });
  const timestamper = timestamperFor({ ...augmentation, level: target }, tools);
  if (timestamper === undefined) throw new Error(`level ${target} needs no time-stamp`);
  let bytes = source;
  for (const step of plan)
    bytes =
      step === 'stamp'
        ? await stampDocument(bytes, timestamper, password)
        : await addData(bytes, password, tools);
  const augmented = standingOf(readPdf(bytes, password));
  const isChosen = new Set(chosen.map(({ fieldName }) => fieldName));
  const after = augmented.people
    .filter(({ fieldName }) => isChosen.has(fieldName))
    .map((signature) => levelOf(signature, augmented));
  return answer(bytes, true, { standing: augmented, chosen, before, after });
}

const endOf = ({ byteRange }: EarlierSignature): number => (byteRange?.[2] ?? 0) + (byteRange?.[3] ?? 0);

/** Throws UNPROCESSABLE if a signature is invalid or of an unknown kind: its validation data cannot be known. */
function standingOf(pdf: ReadPdf): Standing {
  const all = earlierSignatures(pdf);
  refuseBrokenSignatures(all);
  const sound = all.map((signature): Sound => {
    const { core, fieldName } = signature;
    if (core?.signer !== undefined) return { ...signature, core };
    throw new SignatureError(
      'UNPROCESSABLE',
      `The signature \`${fieldName}\` is of a kind that cannot be augmented.`,
    );
  });
  sound.sort((one, other) => endOf(one) - endOf(other));
  return {
    pdf,
    people: sound.filter(({ kind }) => kind === 'signature'),
    stamps: sound.filter(({ kind }) => kind === 'documentTimestamp'),
  };
}

function levelOf(signature: Sound, { pdf, stamps }: Standing): SignatureLevel {
  const { timestamps, validationData } = signature.core;
  const isInside = validationData.ocsps.length + validationData.crls.length > 0;
  return levelWith({
    hasOwnStamp: timestamps.some(({ hasSha1 }) => !hasSha1),
    laterStamps: stamps.filter((stamp) => endOf(stamp) > endOf(signature)).length,
    hasRevocationData: isInside || hasStoredAnswers(pdf.document, signature.contents),
  });
}

interface Goal {
  standing: Standing;
  before: readonly SignatureLevel[];
  target: SignatureLevel;
  now: Date;
}

/** The updates to add, in order. */
function planOf(
  { augmentation }: AugmentRequest,
  { standing, before, target, now }: Goal,
): ('stamp' | 'data')[] {
  const isBelow = (level: SignatureLevel) => before.some((each) => !isAtLeast(each, level));
  if (!isBelow(target)) {
    const { renewBeforeDays } = augmentation;
    const expiry = protectedUntil(standing);
    const isFresh =
      renewBeforeDays !== undefined &&
      expiry !== undefined &&
      expiry.getTime() - now.getTime() > renewBeforeDays * DAY_MS;
    return target !== 'B-LTA' || isFresh ? [] : ['data', 'stamp'];
  }
  return [
    ...(isBelow('B-T') ? (['stamp'] as const) : []),
    ...(isAtLeast(target, 'B-LT') && (isBelow('B-LT') || isBelow('B-T')) ? (['data'] as const) : []),
    ...(target === 'B-LTA' ? (['stamp'] as const) : []),
  ];
}

/** Returns when the certificate of the newest time-stamp expires. */
function protectedUntil({ people, stamps }: Standing): Date | undefined {
  const newest = stamps.at(-1)?.core.signer ?? people.at(-1)?.core.timestamps.at(-1)?.signer;
  return newest?.notAfter;
}

/** Adds the validation data of all signatures and time-stamps. */
async function addData(bytes: Buffer, password: string | undefined, tools: AugmentTools): Promise<Buffer> {
  const pdf = readPdf(bytes, password);
  const { people, stamps } = standingOf(pdf);
  const collected = new Map<string, Promise<ValidationData>>();
  const entries: { contents: Buffer; data: ValidationData }[] = [];
  for (const { fieldName, contents, core } of [...people, ...stamps]) {
    const certificates = [
      ...core.certificates,
      ...core.timestamps.flatMap((stamp) => stamp.certificates),
    ].map(({ der }) => der);
    // Time-stamps of one authority have the same ones.
    const name = createHash('sha256').update(Buffer.concat(certificates)).digest('hex');
    const data = collected.get(name) ?? tools.validationData(certificates);
    collected.set(name, data);
    entries.push({ contents, data: await data.catch((error: unknown) => refuse(fieldName, error)) });
  }
  return addValidationData(pdf, entries);
}

/** The keys of a document are not those of the caller. */
function refuse(fieldName: string, error: unknown): never {
  if (!(error instanceof PkiError) || error.code !== 'SIGNING_KEY_INVALID') throw error;
  throw new SignatureError('UNPROCESSABLE', `The signature \`${fieldName}\`: ${error.message}`, {
    cause: error,
  });
}

interface Result {
  standing: Standing;
  chosen: readonly Sound[];
  before: readonly SignatureLevel[];
  after: readonly SignatureLevel[];
}

function answer(bytes: Buffer, isChanged: boolean, { standing, chosen, before, after }: Result): Augmented {
  const expiry = protectedUntil(standing);
  const signatures = chosen.map(({ fieldName }, index) => ({
    fieldName,
    before: before[index] ?? 'B-B',
    after: after[index] ?? 'B-B',
  }));
  const isFinal = isChanged && standing.pdf.docMdp === 1;
  return {
    bytes,
    contentType: PDF_TYPE,
    reply: {
      isChanged,
      signatures,
      ...(expiry && { protectedUntil: expiry.toISOString() }),
      warnings: isFinal ? [READERS_MAY_REFUSE] : [],
    },
  };
}
