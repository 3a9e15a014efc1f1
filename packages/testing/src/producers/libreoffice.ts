import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Identity } from '../pki/identity.ts';

const run = promisify(execFile);
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
        `-env:UserInstallation=file://${at('profile')}`,
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
