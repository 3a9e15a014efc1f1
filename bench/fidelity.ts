/**
 * bench/fidelity.ts DIR [--pdfs DIR] [--save]
 *
 * Converts the documents in a folder that have a PDF of Office beside them (NAME.docx and NAME.pdf), and compares the results.
 * `--pdfs` keeps the PDFs in another folder. `--save` writes docs/reference/fidelity.md.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { SourceRouter } from '@scriptorium/converter/engines/kit/source-router';
import { loadSanitizers } from '@scriptorium/sanitizer/sanitize';
import { besideOf, compareDocument } from './fidelity/compare-document.ts';
import { type Compared, fidelityPage, rowsByDocument, rowsByFormat } from './fidelity/fidelity-table.ts';

const DOCUMENT = /\.(docx|doc|pptx|xlsx|odt|rtf)$/;
const PAGE = join(import.meta.dirname, '..', 'docs', 'reference', 'fidelity.md');

async function compareAll(engine: SourceRouter, folder: string, pdfs: string): Promise<Compared[]> {
  const compared: Compared[] = [];
  for (const name of readdirSync(folder).sort()) {
    const document = join(folder, name);
    if (!DOCUMENT.test(name) || !existsSync(besideOf(document))) continue;
    try {
      compared.push(await compareDocument(engine, document, join(pdfs, `${name}.pdf`)));
    } catch (error) {
      console.error(`${name} was not compared: ${(error as Error).message}`);
    }
  }
  return compared;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { pdfs: { type: 'string' }, save: { type: 'boolean' } },
});
const [folder] = positionals;
if (folder === undefined) throw new Error('Name the folder of documents and their PDFs.');
const pdfs = values.pdfs ?? mkdtempSync(join(tmpdir(), 'fidelity-'));
const engine = new SourceRouter();
try {
  mkdirSync(pdfs, { recursive: true });
  await Promise.all([engine.start(), loadSanitizers()]);
  const compared = await compareAll(engine, folder, pdfs);
  console.table(rowsByDocument(compared));
  console.table(rowsByFormat(compared));
  const version = engine.health().version ?? '';
  if (values.save)
    writeFileSync(PAGE, fidelityPage(compared, `LibreOffice ${version.replace('LibreOffice', '')}`));
} finally {
  await engine.close();
  if (values.pdfs === undefined) rmSync(pdfs, { recursive: true });
}
