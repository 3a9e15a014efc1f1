import { signedData } from '@scriptorium/pki/cms';
import type { Fetcher } from '@scriptorium/pki/fetcher';
import { privateKeySigner, type RawSigner, readPem } from '@scriptorium/pki/keys';
import { collectValidationData } from '@scriptorium/pki/revocation';
import { createTimestamper } from '@scriptorium/pki/timestamps';
import { fetcherTo, never } from '@scriptorium/testing/pki/fetching';
import type { Identity } from '@scriptorium/testing/pki/identity';
import { createPki, type Pki } from '@scriptorium/testing/pki/pki';
import type { SignatureLevel } from '../../src/levels.ts';
import { prepareDocumentTimestamp } from '../../src/pades/prepare-signature.ts';
import { embedSignature, signedParts } from '../../src/pades/prepared.ts';
import { readPdf } from '../../src/pades/read-pdf.ts';
import { type PdfSigning, signPdf } from '../../src/pades/sign-pdf.ts';
import { augment } from '../../src/signing/augment.ts';
import type { SignTools } from '../../src/signing/sign-tools.ts';

/** Bytes reserved for a CMS: more than needed, as in most files. */
const RESERVE = 8_192;
const RESERVE_WITH_TOKEN = 24_576;

export interface LabSigning extends Partial<PdfSigning> {
  /** Ada by default. */
  by?: Identity;
  level?: SignatureLevel;
  rsaPadding?: 'pkcs1' | 'pss';
}

/** Signers with certificates of one authority, for making attacks and legitimate files. */
export interface Lab {
  pki: Pki;
  fetcher: Fetcher;
  ada: Identity;
  bob: Identity;
  /** Signer below an authority with RSA keys, which old programs require. */
  carol: Identity;
  /** Anchors of the verifier: the roots, DER. */
  anchors: Buffer[];
  /** Signs like this service. */
  sign(pdf: Buffer, signing?: LabSigning): Promise<Buffer>;
  /** Adds a document time-stamp over the whole document. */
  stamp(pdf: Buffer): Promise<Buffer>;
  /** Returns a time-stamp token over these bytes, DER. */
  token(stamped: Uint8Array): Promise<Buffer>;
  close(): Promise<void>;
}

export async function signerOf(
  identity: Identity,
  rsaPadding: 'pkcs1' | 'pss' = 'pkcs1',
): Promise<RawSigner> {
  const material = await readPem({ privateKey: identity.keyPem(), certificates: identity.chainPem });
  return privateKeySigner(material, { now: new Date(), rsaPadding });
}

export async function openLab(): Promise<Lab> {
  const pki = await createPki();
  const ada = await pki.issue({ name: 'Ada Lovelace' });
  const bob = await pki.issue({ name: 'Bob Babbage', keyType: 'rsa-2048' });
  const rsaPki = await createPki({ authorityKeyType: 'rsa-2048' });
  const carol = await rsaPki.issue({ name: 'Carol Shannon', keyType: 'rsa-2048' });
  const fetcher = fetcherTo(pki, rsaPki);
  const timestamper = createTimestamper({ url: pki.tsaUrl, hash: 'sha256' }, fetcher);
  const tools = {
    validationData: (certificates: Buffer[]) => collectValidationData(certificates, fetcher, never()),
  } as SignTools;
  return {
    pki,
    fetcher,
    ada,
    bob,
    carol,
    anchors: [pki.root.der, rsaPki.root.der],
    async sign(pdf, { by = ada, level = 'B-B', rsaPadding, ...signing } = {}) {
      const signer = await signerOf(by, rsaPadding);
      const stamps = level === 'B-B' ? undefined : timestamper;
      let token: Buffer | undefined;
      const signed = await signPdf(
        pdf,
        {
          reserve: stamps ? RESERVE_WITH_TOKEN : RESERVE,
          signingTime: new Date(),
          allowBrokenSignatures: true,
          ...signing,
        },
        {
          hash: signer.hash,
          async cms(digest) {
            const made = await signedData({ digest, signer, timestamper: stamps });
            token = made.token;
            return made.cms;
          },
        },
      );
      const { password } = signing;
      return augment(signed, { level, signer, token, timestamper: stamps, password, tools });
    },
    async stamp(pdf) {
      const prepared = prepareDocumentTimestamp(readPdf(pdf), RESERVE_WITH_TOKEN);
      const parts = signedParts(prepared.bytes, prepared.byteRange);
      const { token } = await timestamper.timestamp(Buffer.concat(parts));
      return embedSignature(prepared, token);
    },
    token: async (stamped) => (await timestamper.timestamp(stamped)).token,
    async close() {
      await Promise.all([pki.close(), rsaPki.close()]);
    },
  };
}
