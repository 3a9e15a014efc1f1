import { readFileSync, writeFileSync } from 'node:fs';
import { parse } from 'node:path';
import { conversion, convertOptions } from '@scriptorium/contracts/jobs/convert';
import { engineRequest } from '@scriptorium/converter/conversion/convert';
import { replacedFonts, systemFonts } from '@scriptorium/converter/conversion/fonts';
import type { Engine } from '@scriptorium/converter/engines/engine';
import { prepare } from '@scriptorium/sanitizer/sanitize';
import { distance } from './distance.ts';
import type { Compared } from './fidelity-table.ts';

const TIMEOUT_MS = 300_000;
const fonts = systemFonts();

/** The PDF that Office made of a document, beside it. */
export const besideOf = (document: string): string => document.replace(/\.\w+$/, '.pdf');

/** Converts a document as the service does, writes the PDF, and compares it with that of Office. */
export async function compareDocument(engine: Engine, document: string, pdf: string): Promise<Compared> {
  const { base, ext } = parse(document);
  const options = conversion.parse(convertOptions.parse({ from: ext.slice(1) }));
  const prepared = await prepare(readFileSync(document), options);
  const run = { timeoutMs: TIMEOUT_MS, signal: new AbortController().signal };
  const { bytes, missingFonts } = await engine.convert(prepared.bytes, engineRequest(prepared, options), run);
  writeFileSync(pdf, bytes);
  const replaced = await replacedFonts(missingFonts ?? [], fonts);
  return {
    name: base,
    format: options.from,
    replacedFonts: replaced.map(({ asked, used }) => `${asked} by ${used}`),
    distance: distance(besideOf(document), pdf),
  };
}
