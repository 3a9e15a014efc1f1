import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { officeProfile } from '../office.ts';
import type { Identity } from '../pki/identity.ts';

const run = promisify(execFile);
const ENCRYPT = join(import.meta.dirname, 'libreoffice_encrypt.py');
const KEY_STORE = join(import.meta.dirname, 'libreoffice_key_store.py');

/**
 * Exports a document as a PDF and signs it with LibreOffice: `adbe.pkcs7.detached` or CAdES, at its choice. RSA only.
 */
export async function signedByLibreOffice(docx: Buffer, signer: Identity): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'office-signed-'));
  try {
    const at = (name: string) => join(folder, name);
    await writeFile(at('key.p8'), signer.privateKey.export({ type: 'pkcs8', format: 'der' }));
    const certificates = signer.chain.map((_, number) => at(`${number}.der`));
    await Promise.all(
      certificates.map((path, number) => writeFile(path, signer.chain[number] ?? Buffer.alloc(0))),
    );
    // Debian's Python, to which its libraries belong.
    await run('/usr/bin/python3', [KEY_STORE, at('nss'), at('key.p8'), ...certificates]);
    await writeFile(at('document.docx'), docx);
    const subject = signer.certificate.subject.split('\n').reverse().join(',');
    const options = JSON.stringify({
      SignPDF: { type: 'boolean', value: 'true' },
      SignCertificateSubjectName: { type: 'string', value: subject },
    });
    await run(
      'soffice',
      [
        officeProfile(folder),
        '--headless',
        '--convert-to',
        `pdf:writer_pdf_Export:${options}`,
        '--outdir',
        folder,
        at('document.docx'),
      ],
      { env: { ...process.env, MOZILLA_CERTIFICATE_FOLDER: `sql:${at('nss')}` } },
    );
    return await readFile(at('document.pdf'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const FILTERS = {
  docx: 'MS Word 2007 XML',
  xlsx: 'Calc MS Excel 2007 XML',
  pptx: 'Impress MS PowerPoint 2007 XML',
  odt: 'writer8',
  doc: 'MS Word 97',
};

/** A document, its format, and the one in which it is stored. */
export interface Encryptable {
  bytes: Buffer;
  from: 'docx' | 'xlsx' | 'pptx';
  to: keyof typeof FILTERS;
}

/** Stores documents with a password. Packages of Office get the encryption of Office since 2010 ([MS-OFFCRYPTO] §2.3.4.10). */
export async function encryptedByLibreOffice(
  password: string,
  documents: readonly Encryptable[],
): Promise<Buffer[]> {
  const folder = await mkdtemp(join(tmpdir(), 'office-encrypted-'));
  try {
    const jobs = documents.map(({ bytes, from, to }, at) => ({
      ...{ bytes, filter: FILTERS[to] },
      source: join(folder, `${at}.${from}`),
      target: join(folder, `encrypted${at}.${to}`),
    }));
    for (const { bytes, source } of jobs) await writeFile(source, bytes);
    const args = jobs.flatMap(({ filter, source, target }) => [filter, source, target]);
    await run('/usr/bin/python3', [ENCRYPT, folder, password, ...args]);
    return await Promise.all(jobs.map(({ target }) => readFile(target)));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
