import {
  DerError,
  type DerValue,
  readBitString,
  readChildren,
  readDer,
  readOid,
  readSequence,
} from '../asn1/der-reader.ts';
import { OID } from '../asn1/oids.ts';
import type { Certificate } from './certificate.ts';

const POLICIES = '2.5.29.32';
const EXTENDED_KEY_USAGE = '2.5.29.37';
const QC_STATEMENTS = '1.3.6.1.5.5.7.1.3';
/** ETSI EN 319 412-5, 4.2. */
const QC_COMPLIANCE = '0.4.0.1862.1.1';
const QC_DEVICE = '0.4.0.1862.1.4';
const QC_TYPE = '0.4.0.1862.1.6';
const QC_LEGISLATION = '0.4.0.1862.1.7';
const QC_TYPES: Readonly<Record<string, QcType>> = {
  '0.4.0.1862.1.6.1': 'signature',
  '0.4.0.1862.1.6.2': 'seal',
  '0.4.0.1862.1.6.3': 'web',
};

export type QcType = 'signature' | 'seal' | 'web';

/** What a certificate says about its use and about itself as a qualified one. */
export interface CertificateFacts {
  notBefore: Date;
  /** Bits of KeyUsage, from 0. */
  keyUsage: ReadonlySet<number>;
  /** Object identifiers of its policies, extended key usages and attributes of the subject. */
  policies: ReadonlySet<string>;
  purposes: ReadonlySet<string>;
  attributes: ReadonlySet<string>;
  /** It states that it is a qualified certificate. */
  isCompliant: boolean;
  /** It states that its key is in a qualified device. */
  isInDevice: boolean;
  /** `unknown`: one of another law, or of a later version. */
  types: readonly (QcType | 'unknown')[];
  /** It is qualified by the law of other countries, and not of the European Union. */
  isForeign: boolean;
}

/** Reads the facts (RFC 5280; RFC 3739, 3.2.6; ETSI EN 319 412-5). Undefined if an extension is unreadable. */
export function certificateFacts(certificate: Certificate): CertificateFacts | undefined {
  try {
    return readFacts(certificate);
  } catch (error) {
    if (error instanceof DerError) return undefined;
    throw error;
  }
}

function readFacts({ extensions, notBefore, subject }: Certificate): CertificateFacts {
  const list = (id: string): DerValue[] => {
    const extension = extensions.get(id);
    return extension === undefined ? [] : readSequence(readDer(extension.value));
  };
  const usage = extensions.get(OID.keyUsage);
  const statements = new Map(
    list(QC_STATEMENTS).map((statement) => {
      const [id, about] = readSequence(statement);
      return [readOid(id), about];
    }),
  );
  const types = statements.get(QC_TYPE);
  return {
    notBefore,
    keyUsage: usage === undefined ? new Set() : bitsOf(readBitString(readDer(usage.value))),
    policies: new Set(list(POLICIES).map((policy) => readOid(readSequence(policy)[0]))),
    purposes: new Set(list(EXTENDED_KEY_USAGE).map(readOid)),
    attributes: new Set(
      readSequence(readDer(subject)).flatMap((part) =>
        readChildren(part).map((attribute) => readOid(readSequence(attribute)[0])),
      ),
    ),
    isCompliant: statements.has(QC_COMPLIANCE),
    isInDevice: statements.has(QC_DEVICE),
    types: types === undefined ? [] : readSequence(types).map((each) => QC_TYPES[readOid(each)] ?? 'unknown'),
    isForeign: statements.has(QC_LEGISLATION),
  };
}

function bitsOf(octets: Buffer): Set<number> {
  const bits = new Set<number>();
  for (const [place, octet] of octets.entries())
    for (let bit = 0; bit < 8; bit++) if ((octet & (0x80 >> bit)) !== 0) bits.add(place * 8 + bit);
  return bits;
}
