import { createHash } from 'node:crypto';
import { tooComplex } from '@scriptorium/pdf/error';
import { isSelfSigned } from '@scriptorium/pki/certificates';
import type { SignedCore } from '@scriptorium/pki/cms';
import { PkiError } from '@scriptorium/pki/error';
import type { ValidationData } from '@scriptorium/pki/revocation';
import { PDF_TYPE } from '../document-type.ts';
import { isAtLeast, type SignatureLevel } from '../levels.ts';
import {
  type EarlierSignature,
  earlierSignatures,
  refuseBrokenSignatures,
} from '../pades/earlier-signatures.ts';
import { type ReadPdf, readPdf } from '../pades/read-pdf.ts';
import { answersFor, answersForAll, storedValidationData } from '../pades/stored-validation-data.ts';
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

/** Certificate sets of a document whose authorities are asked: each is many requests. */
const SETS_MAX = 20;
const DATA_BYTES_MAX = 16 * 1024 * 1024;

/** A signature that holds. */
type Sound = EarlierSignature & { core: SignedCore };

/** The signatures of one PDF, and what protects them. */
interface Standing {
  pdf: ReadPdf;
  password: string | undefined;
  people: Sound[];
  /** The time-stamps over the document, oldest first. */
  stamps: Sound[];
}

/**
 * Augments for `augmentDocument`: a time-stamp over the document for B-T, and the validation data of all signatures for B-LT.
 * B-LTA adds a time-stamp over these (EN 319 142-1, 5.4 and 6.3). All follows the original bytes.
 */
export async function augmentPdf(request: AugmentRequest, tools: AugmentTools): Promise<Augmented> {
  const { source, augmentation, password } = request;
  const standing = standingOf(source, password);
  const chosen = chosenSignatures(standing.people, augmentation, ({ fieldName }) => fieldName);
  const before = chosen.map((signature) => levelOf(signature, standing));
  const target = targetLevel(augmentation, before);
  const plan = planOf(request, { standing, before, target, now: tools.now() });
  if (plan.length === 0) return answer(source, false, { standing, chosen, before, after: before });
  const timestamper = timestamperFor({ ...augmentation, level: target }, tools);
  if (timestamper === undefined) throw new Error(`level ${target} needs no time-stamp`);
  if (plan[0] === 'stamp') refuseExpired(chosen, before, tools.now());
  const isChosen = new Set(chosen.map(({ fieldName }) => fieldName));
  let bytes = source;
  for (const step of plan)
    bytes =
      step === 'stamp'
        ? await stampDocument(bytes, timestamper, password)
        : await addData(bytes, { password, chosen: isChosen, tools });
  const augmented = standingOf(bytes, password);
  const after = augmented.people
    .filter(({ fieldName }) => isChosen.has(fieldName))
    .map((signature) => levelOf(signature, augmented));
  if (after.some((level) => !isAtLeast(level, target)))
    throw new SignatureError('UNPROCESSABLE', `The authorities gave too little for the level ${target}.`);
  return answer(bytes, true, { standing: augmented, chosen, before, after });
}

const endOf = ({ byteRange }: EarlierSignature): number => (byteRange?.[2] ?? 0) + (byteRange?.[3] ?? 0);

/** Throws UNPROCESSABLE if a signature is invalid or of an unknown kind: its validation data cannot be known. */
function standingOf(bytes: Buffer, password: string | undefined): Standing {
  const pdf = readPdf(bytes, password);
  const all = earlierSignatures(pdf);
  refuseBrokenSignatures(all);
  const sound = all.map((signature): Sound => {
    const { core, fieldName, verdict } = signature;
    if (core?.signer !== undefined && verdict === 'holds') return { ...signature, core };
    throw new SignatureError(
      'UNPROCESSABLE',
      `The signature \`${fieldName}\` is of a kind that cannot be augmented.`,
    );
  });
  sound.sort((one, other) => endOf(one) - endOf(other));
  return {
    pdf,
    password,
    people: sound.filter(({ kind }) => kind === 'signature'),
    stamps: sound.filter(({ kind }) => kind === 'documentTimestamp'),
  };
}

/** As EN 319 142-1, 6.3: at B-LTA, a time-stamp covers the data, which were added after an earlier one. */
function levelOf(signature: Sound, standing: Standing): SignatureLevel {
  const later = standing.stamps.filter((stamp) => endOf(stamp) > endOf(signature));
  const hasOwnStamp = signature.core.timestamps.some(({ hasSha1 }) => !hasSha1);
  if (!hasOwnStamp && later.length === 0) return 'B-B';
  if (!hasData(signature, standing)) return 'B-T';
  const newest = (hasOwnStamp ? later : later.slice(1)).at(-1);
  return newest !== undefined && hasData(signature, standing, newest) ? 'B-LTA' : 'B-LT';
}

/** Whether the document, or what `stamp` covers of it, has validation data of a signature or time-stamp. */
function hasData(signature: Sound, { pdf, password }: Standing, stamp?: Sound): boolean {
  const { ocsps, crls } = signature.core.validationData;
  if (ocsps.length + crls.length > 0) return true;
  const { bytes } = pdf.document;
  const upTo = (end: Sound) => readPdf(bytes.subarray(0, endOf(end)), password).document;
  const document = stamp === undefined ? pdf.document : upTo(stamp);
  const own = answersFor(document, signature.contents);
  const needsAnswers = signature.core.signer !== undefined && !isSelfSigned(signature.core.signer);
  if (own !== undefined) return own > 0 || !needsAnswers;
  const answers = answersForAll(document);
  // What was there before the signature is not about it.
  return answers > 0 && answers > answersForAll(upTo(signature));
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
    ...(isAtLeast(target, 'B-LT') ? (['data'] as const) : []),
    ...(target === 'B-LTA' ? (['stamp'] as const) : []),
  ];
}

/** Returns when the newest time-stamp of the document expires, or else the first of those of the signatures. */
function protectedUntil({ people, stamps }: Standing): Date | undefined {
  const newest = stamps.at(-1)?.core.signer;
  if (newest !== undefined) return newest.notAfter;
  const ends = people.map(({ core }) => core.timestamps.at(-1)?.signer.notAfter);
  return ends.some((end) => end === undefined)
    ? undefined
    : ends.filter((end) => end !== undefined).sort((a, b) => a.getTime() - b.getTime())[0];
}

/** A time-stamp of today does not prove that a signature was made before its certificate expired. */
function refuseExpired(chosen: readonly Sound[], before: readonly SignatureLevel[], now: Date): void {
  const expired = chosen.find(({ core: { signer } }, index) => {
    const isOver = signer !== undefined && signer.notAfter < now;
    return isOver && before[index] === 'B-B';
  });
  if (expired === undefined) return;
  throw new SignatureError(
    'UNPROCESSABLE',
    `The certificate of the signature \`${expired.fieldName}\` has expired, and no time-stamp proves that it was made before.`,
  );
}

/** Adds what is missing of the validation data of these signatures, and of all time-stamps. */
async function addData(
  bytes: Buffer,
  {
    password,
    chosen,
    tools,
  }: { password: string | undefined; chosen: ReadonlySet<string>; tools: AugmentTools },
): Promise<Buffer> {
  const standing = standingOf(bytes, password);
  const people = standing.people.filter(({ fieldName }) => chosen.has(fieldName));
  const all = [...people, ...standing.stamps];
  const missing = all.filter((signature) => !hasData(signature, standing));
  const collected = new Map<string, ValidationData>();
  const entries: { contents: Buffer; data: ValidationData }[] = [];
  let size = 0;
  for (const { fieldName, contents, core } of missing) {
    const certificates = [
      ...core.certificates,
      ...core.timestamps.flatMap((stamp) => stamp.certificates),
    ].map(({ der }) => der);
    // Time-stamps of one authority have the same ones.
    const name = createHash('sha256').update(Buffer.concat(certificates)).digest('hex');
    const known = collected.get(name);
    if (known === undefined && collected.size === SETS_MAX)
      throw tooComplex(`signatures by more than ${SETS_MAX} signers`);
    const data =
      known ?? (await tools.validationData(certificates).catch((error: unknown) => refuse(fieldName, error)));
    if (known === undefined) size += sizeOf(data);
    if (size > DATA_BYTES_MAX) throw tooComplex(`more than ${DATA_BYTES_MAX} bytes of validation data`);
    collected.set(name, data);
    entries.push({ contents, data });
  }
  if (entries.length === 0) return bytes;
  const { document } = standing.pdf;
  // A store with an entry is for the signatures of its entries only. So those that it was for get one, too.
  if (answersForAll(document) > 0) {
    const data = storedValidationData(document);
    for (const { contents } of all.filter((each) => !missing.includes(each)))
      entries.push({ contents, data });
  }
  return addValidationData(standing.pdf, entries);
}

const sizeOf = (data: ValidationData): number =>
  Object.values(data)
    .flat()
    .reduce((sum: number, { length }: Buffer) => sum + length, 0);

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
