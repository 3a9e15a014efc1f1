import { unlessMalformed } from '@scriptorium/pdf/error';
import { Name, PdfString, type PdfValue } from '@scriptorium/pdf/read';
import { readSignedCore, type SignedCore } from '@scriptorium/pki/cms';
import type { Claims, SignatureEvidence } from '../evidence.ts';
import type { Fault } from '../reasons.ts';
import type { PdfSignature } from './found-signature.ts';
import { signedParts } from './prepared.ts';
import { subFilterOf } from './sub-filters.ts';

/** The content of a signature value, read by the format that its dictionary names. */
export interface SignatureValue {
  format: SignatureEvidence['format'];
  isTimestamp: boolean;
  core: SignedCore | undefined;
  claimedSigningTime: Date | undefined;
  claims: Claims;
  faults: Fault[];
}

const NAME_CHARS_MAX = 100;

/** Reads the value of a signature and checks it over the bytes in its range. */
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
    claims: claimsOf(entryOf),
    faults,
  };
  if (!isTimestamp) value.claimedSigningTime = dateOf(entryOf('M'));
  if (!read || !contents || !byteRange) return value;
  const cms = readSignedCore(contents, signedParts(file, byteRange), read.kind, format === 'PAdES');
  value.core = cms.core;
  faults.push(...cms.faults);
  // PAdES states the time only in the dictionary (EN 319 142-1, 5.3).
  if (format !== 'PAdES') value.claimedSigningTime = cms.claimedSigningTime ?? value.claimedSigningTime;
  return value;
}

/** ISO 32000-2, table 255. */
function claimsOf(entryOf: (key: string) => PdfValue): Claims {
  const [name, reason, location] = [entryOf('Name'), entryOf('Reason'), entryOf('Location')];
  return {
    ...(name instanceof PdfString && { name: name.text }),
    ...(reason instanceof PdfString && { reason: reason.text }),
    ...(location instanceof PdfString && { location: location.text }),
  };
}

const nameOf = (value: PdfValue): string => (value instanceof Name ? value.text : '');
const dateOf = (value: PdfValue): Date | undefined => (value instanceof PdfString ? value.date : undefined);

/** Checks type and subfilter (ISO 32000-2, tables 255 and 12.8.5): only a time-stamp has the type of a time-stamp. */
function formatFaults(type: string, subFilter: string): Fault[] {
  const read = subFilterOf(subFilter);
  const shown = subFilter.replace(/\P{ASCII}|\p{C}/gu, '?').slice(0, NAME_CHARS_MAX);
  const unsupported = (message: string): Fault[] => [{ code: 'FORMAT_UNSUPPORTED', message }];
  if (!read) return unsupported(`The signature format \`${shown}\` is not supported.`);
  if ((type === 'DocTimeStamp') !== (read.kind === 'timestamp')) {
    return unsupported(`The /Type of the signature dictionary does not fit the format \`${shown}\`.`);
  }
  const isKnown = type === '' || type === 'Sig' || type === 'DocTimeStamp';
  return isKnown ? [] : unsupported('The /Type of the signature dictionary is not that of a signature.');
}
