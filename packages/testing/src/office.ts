import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * The text of each document as it is laid out on the pages, from a separate LibreOffice and poppler. Rejects if a
 * document does not load.
 */
export async function shownTexts(documents: readonly Buffer[]): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'shown-'));
  try {
    const files = documents.map((_, number) => join(folder, `${number}.docx`));
    await Promise.all(files.map((file, number) => writeFile(file, documents[number] ?? '')));
    const profile = `-env:UserInstallation=file://${join(folder, 'profile')}`;
    await run('soffice', [profile, '--headless', '--convert-to', 'pdf', '--outdir', folder, ...files]);
    const texts: string[] = [];
    for (const file of files) {
      const pdf = file.replace(/docx$/, 'pdf');
      await readFile(pdf);
      texts.push((await run('pdftotext', ['-layout', pdf, '-'], { maxBuffer: 64 * 1024 * 1024 })).stdout);
    }
    return texts;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Converts a Word document to PDF with a separate LibreOffice. Rejects if it does not load. */
export async function officePdf(document: Buffer): Promise<Buffer> {
  const [pdf] = await officePdfs([document]);
  if (!pdf) throw new Error('LibreOffice made no PDF');
  return pdf;
}

/** Converts Word documents to PDF with one separate LibreOffice; `options` are those of its PDF export. */
export async function officePdfs(documents: readonly Buffer[], options: object = {}): Promise<Buffer[]> {
  const folder = await mkdtemp(join(tmpdir(), 'office-pdf-'));
  try {
    const files = documents.map((_, number) => join(folder, `${number}.docx`));
    await Promise.all(files.map((file, number) => writeFile(file, documents[number] ?? '')));
    const profile = `-env:UserInstallation=file://${join(folder, 'profile')}`;
    const filter = `pdf:writer_pdf_Export:${JSON.stringify(options)}`;
    await run('soffice', [profile, '--headless', '--convert-to', filter, '--outdir', folder, ...files]);
    return await Promise.all(files.map((file) => readFile(file.replace(/docx$/, 'pdf'))));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
