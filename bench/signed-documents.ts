import { findPage, openPdf } from '@scriptorium/pdf/read';
import { editDict, Update } from '@scriptorium/pdf/update';
import { privateKeySigner, readPem } from '@scriptorium/pki/keys';
import { collectValidationData } from '@scriptorium/pki/revocation';
import { createTimestamper } from '@scriptorium/pki/timestamps';
import { loadConfig } from '@scriptorium/shared/config';
import { createFetcher } from '@scriptorium/shared/fetch/fetcher';
import { fetchSettings } from '@scriptorium/shared/fetch/settings';
import type { SignatureLevel } from '@scriptorium/signatures/levels';
import { type SignTools, sign } from '@scriptorium/signatures/sign';
import { classicPdf, streamBody } from '@scriptorium/testing/fixtures/pdf/build';
import { heavyPdf, onePage, plainPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import type { Pki } from '@scriptorium/testing/pki/pki';
import { z } from 'zod';
import { contractWith } from './letters.ts';

/** A document to sign, and then to verify. */
export interface SignedDocument {
  name: string;
  /** Signatures that a report should list, including document time-stamps. */
  signatures: number;
  make(): Promise<Buffer>;
}

async function toolsOf(pki: Pki): Promise<SignTools> {
  const identity = await pki.issue({ name: 'Ada Lovelace', keyType: 'rsa-2048' });
  const material = await readPem({ privateKey: identity.keyPem(), certificates: identity.chainPem });
  const signer = await privateKeySigner(material, { now: new Date() });
  const fetcher = createFetcher(loadConfig(z.object(fetchSettings), { FETCH_ALLOW: pki.fetchAllow }));
  return {
    version: 'bench',
    newAuditId: () => 'aud_abcdefghijklmnopqrstuvwxyz',
    now: () => new Date(),
    openKey: async () => signer,
    timestamper: () => createTimestamper({ url: pki.tsaUrl, hash: 'sha256' }, fetcher),
    validationData: (certificates) =>
      collectValidationData(certificates, fetcher, new AbortController().signal),
  };
}

/** Pages of 45 lines of text. */
function textPdf(pages = 1): Buffer {
  const lines = Array.from(
    { length: 45 },
    (_, line) => `(${line}. The parties agree on these words, which fill a line of this page.) Tj T*`,
  );
  const text = `BT /F1 11 Tf 15 TL 50 780 Td ${lines.join(' ')} ET`;
  const [, , page = ''] = onePage();
  const more = Array.from({ length: pages - 1 }, () => page);
  const bodies = [...onePage('', '', more)];
  const kids = bodies.flatMap((body, index) => (body === page ? [`${index + 1} 0 R`] : []));
  bodies[1] = `<</Type/Pages/Kids[${kids.join(' ')}]/Count ${pages}/MediaBox[0 0 595 842]>>`;
  bodies[3] = streamBody('', Buffer.from(text));
  return classicPdf(bodies);
}

/** The same with a stamp on each page, below the text, in one update. */
function stamped(pdf: Buffer, pages: number): Buffer {
  const update = new Update(openPdf(pdf).document);
  const look = update.add(
    streamBody('/Type/XObject/Subtype/Form/BBox[0 0 9 9]', Buffer.from('0 0 9 9 re f')),
  );
  for (let number = 1; number <= pages; number++) {
    const page = findPage(update.document, number);
    if (!page) throw new Error(`there is no page ${number}`);
    const keys = `/P ${page.ref}/Subtype/Stamp/F 4/Rect[300 30 340 70]/AP<</N ${look}>>`;
    const annotation = update.add(`<</Type/Annot${keys}>>`);
    const known = page.object.value.get('Annots');
    const items = Array.isArray(known) ? known.join(' ') : '';
    update.replace(page.ref, editDict(page.object.value, { Annots: `[${items} ${annotation}]` }));
  }
  return update.finish().bytes;
}

const PAGES = 20;
/** Below the text of a page. */
const FOOT = { page: 1, rectangle: { x: 50, y: 30, width: 200, height: 50 }, text: 'Ada Lovelace' };

/** Documents with signatures by RSA keys of 2,048 bits, whose chain ends at the root of `pki`. */
export async function signedDocuments(pki: Pki): Promise<SignedDocument[]> {
  const tools = await toolsOf(pki);
  const signed = async (source: Buffer, level: SignatureLevel = 'B-B', isSeen = false) => {
    const signing = {
      key: { kind: 'profile' as const, profile: 'service', apiKey: 'key_ada' },
      level,
      ...(isSeen && { appearance: FOOT }),
      hasAuditPages: false,
      allowBrokenSignatures: false,
    };
    return (await sign({ source, signing, images: Buffer.alloc(0), callerKey: undefined }, tools)).bytes;
  };
  const signedTimes = async (count: number) => {
    let bytes = plainPdf();
    for (let time = 0; time < count; time++) bytes = await signed(bytes);
    return bytes;
  };
  return [
    { name: 'PDF of 100 KB', signatures: 1, make: () => signed(heavyPdf(100_000)) },
    { name: 'PDF of 20 MB', signatures: 1, make: () => signed(heavyPdf(20_000_000)) },
    { name: 'PDF with 10 signatures', signatures: 10, make: () => signedTimes(10) },
    { name: 'PDF with 50 signatures', signatures: 50, make: () => signedTimes(50) },
    {
      name: 'PDF page of text, and a second signature on it',
      signatures: 2,
      make: async () => signed(await signed(textPdf()), 'B-B', true),
    },
    {
      name: `PDF of ${PAGES} pages of text, and an update of each`,
      signatures: 1,
      make: async () => stamped(await signed(textPdf(PAGES)), PAGES),
    },
    { name: 'DOCX of 48 KB', signatures: 1, make: () => signed(contractWith([])) },
    { name: 'PDF of 100 KB at B-LTA', signatures: 2, make: () => signed(heavyPdf(100_000), 'B-LTA') },
  ];
}
