import { unlessMalformed } from '@scriptorium/pdf/error';
import { Name, PdfString, type PdfValue } from '@scriptorium/pdf/read';
import { readSignedCore, type SignedCore } from '@scriptorium/pki/cms';
import type { SignatureEvidence } from '../evidence.ts';
import type { Fault } from '../reasons.ts';
import type { PdfSignature } from './found-signature.ts';
import { signedParts } from './prepared.ts';
import { subFilterOf } from './sub-filters.ts';

/** What the value of a signature shows, read as its dictionary says. */
export interface SignatureValue {
  format: SignatureEvidence['format'];
  isTimestamp: boolean;
  core: SignedCore | undefined;
  claimedSigningTime: Date | undefined;
  faults: Fault[];
}

const NAME_CHARS_MAX = 100;

/** Reads and checks the value of a signature over the bytes of the file that its range names. */
export function readValue(file: Buffer, signature: PdfSignature): SignatureValue {
  const { dict, revision, contents, byteRange } = signature;
  const entryOf = (key: string): PdfValue => unlessMalformed(() => revision.document.get(dict, key)) ?? null;
  const subFilter = nameOf(entryOf('SubFilter'));
  const read = subFilterOf(subFilter);
  const isTimestamp = read?.kind === 'timestamp';
  const faults = formatFaults(nameOf(entryOf('Type')), subFilter);
  const format = read?.format ?? 'unknown';
  const value: SignatureValue = {
    format,
    isTimestamp,
    core: undefined,
    claimedSigningTime: undefined,
    faults,
  };
  if (!isTimestamp) value.claimedSigningTime = dateOf(entryOf('M'));
  if (!read || !contents || !byteRange) return value;
  const cms = readSignedCore(contents, signedParts(file, byteRange), read.kind, format === 'PAdES');
  value.core = cms.core;
  faults.push(...cms.faults);
  // PAdES states it in the dictionary alone (EN 319 142-1, 5.3).
  if (format !== 'PAdES') value.claimedSigningTime = cms.claimedSigningTime ?? value.claimedSigningTime;
  return value;
}

const nameOf = (value: PdfValue): string => (value instanceof Name ? value.text : '');
const dateOf = (value: PdfValue): Date | undefined => (value instanceof PdfString ? value.date : undefined);

/** ISO 32000-2, tables 255 and 12.8.5: a time-stamp says that it is one, and nothing else does. */
function formatFaults(type: string, subFilter: string): Fault[] {
  const read = subFilterOf(subFilter);
  const shown = subFilter.replace(/\P{ASCII}|\p{C}/gu, '?').slice(0, NAME_CHARS_MAX);
  const unsupported = (message: string): Fault[] => [{ code: 'FORMAT_UNSUPPORTED', message }];
  if (!read) return unsupported(`Signatures of the kind \`${shown}\` are not checked here.`);
  if ((type === 'DocTimeStamp') !== (read.kind === 'timestamp')) {
    return unsupported(`The dictionary of a signature of the kind \`${shown}\` says that it is another one.`);
  }
  const isKnown = type === '' || type === 'Sig' || type === 'DocTimeStamp';
  return isKnown ? [] : unsupported('The dictionary does not say that it is of a signature.');
}
