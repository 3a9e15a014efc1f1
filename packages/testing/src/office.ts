import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Writes a new profile for a separate LibreOffice into a folder, and returns the argument that names it. LibreOffice takes it
 * for one of a later version: at the first start of a version, it tests its graphics for seconds.
 */
export function officeProfile(folder: string): string {
  mkdirSync(join(folder, 'profile', 'user'), { recursive: true });
  writeFileSync(
    join(folder, 'profile', 'user', 'registrymodifications.xcu'),
    `<oor:items xmlns:oor="http://openoffice.org/2001/registry"><item oor:path="/org.openoffice.Setup/Product"><prop oor:name="ooSetupLastVersion" oor:op="fuse"><value>99.9</value></prop></item></oor:items>`,
  );
  return `-env:UserInstallation=file://${join(folder, 'profile')}`;
}

/**
 * The text of each document as it is laid out on the pages, from a separate LibreOffice and poppler. Rejects if a
 * document does not load.
 */
export async function shownTexts(documents: readonly Buffer[]): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'shown-'));
  try {
    const files = documents.map((_, number) => join(folder, `${number}.docx`));
    await Promise.all(files.map((file, number) => writeFile(file, documents[number] ?? '')));
    const profile = officeProfile(folder);
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
    const profile = officeProfile(folder);
    const filter = `pdf:writer_pdf_Export:${JSON.stringify(options)}`;
    await run('soffice', [profile, '--headless', '--convert-to', filter, '--outdir', folder, ...files]);
    return await Promise.all(files.map((file) => readFile(file.replace(/docx$/, 'pdf'))));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
