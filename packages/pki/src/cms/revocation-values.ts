import { context, contextTag, der, octetString, oid, sequence, TAG } from '../asn1/der.ts';
import {
  DerError,
  type DerValue,
  readChildren,
  readOid,
  readOnlyChild,
  readSequence,
} from '../asn1/der-reader.ts';
import { OID } from '../asn1/oids.ts';
import type { ValidationData } from '../keys/raw-signer.ts';
import type { SignedData } from './read-signed-data.ts';

/** Limit for each kind. Values beyond it and unreadable values are skipped, as if they were absent. */
const VALUES_MAX = 100;
const ENUMERATED = 0x0a;
const OTHER_FORMAT = contextTag(1);

type Answers = Pick<ValidationData, 'ocsps' | 'crls'>;

/**
 * The CRLs and OCSP responses in a SignedData: beside its certificates (RFC 5652, 10.2.1; RFC 5940), and in the
 * attribute of ISO 32000-2, 12.8.3.3.2.
 */
export function revocationValues({ revocationInfo, signer }: SignedData): Answers {
  const archivals = signer.signed?.attributes.get(OID.revocationInfoArchival) ?? [];
  const all = [
    ...revocationInfo.map((info) => whereReadable(() => readChoice(info))),
    ...archivals.map((archival) => whereReadable(() => readArchival(archival))),
  ];
  return {
    ocsps: all.flatMap(({ ocsps }) => ocsps).slice(0, VALUES_MAX),
    crls: all.flatMap(({ crls }) => crls).slice(0, VALUES_MAX),
  };
}

function whereReadable(read: () => Answers): Answers {
  try {
    return read();
  } catch (error) {
    if (error instanceof DerError) return { ocsps: [], crls: [] };
    throw error;
  }
}

function readChoice(info: DerValue): Answers {
  if (info.tag === TAG.sequence) return { ocsps: [], crls: [info.bytes] };
  if (info.tag !== OTHER_FORMAT) throw new DerError('CRL or other format expected');
  const [format, value] = readChildren(info);
  if (value === undefined) throw new DerError('response expected');
  switch (readOid(format)) {
    case OID.ocspResponse:
      return { ocsps: [value.bytes], crls: [] };
    case OID.basicOcspResponse:
      return { ocsps: [ocspResponse(value.bytes)], crls: [] };
    default:
      return { ocsps: [], crls: [] };
  }
}

/** Wraps a BasicOCSPResponse in a successful OCSPResponse (RFC 6960, 4.2.1). */
function ocspResponse(basic: Buffer): Buffer {
  const bytes = sequence(oid(OID.basicOcspResponse), octetString(basic));
  return sequence(der(ENUMERATED, Buffer.of(0)), context(0, bytes));
}

function readArchival(archival: DerValue): Answers {
  const fields = readSequence(archival);
  const listed = (number: number): Buffer[] => {
    const wrapped = fields.find(({ tag }) => tag === contextTag(number));
    return wrapped === undefined ? [] : readSequence(readOnlyChild(wrapped)).map(({ bytes }) => bytes);
  };
  return { crls: listed(0), ocsps: listed(1) };
}
