import { readFileSync, writeFileSync } from 'node:fs';
import { parse } from 'node:path';
import { conversion, convertOptions } from '@scriptorium/contracts/jobs/convert';
import { type ConvertParts, convert } from '@scriptorium/converter/conversion/convert';
import { systemFonts } from '@scriptorium/converter/conversion/fonts';
import type { Engine } from '@scriptorium/converter/engines/engine';
import { finish } from '@scriptorium/converter/threads/finish-thread';
import { prepare } from '@scriptorium/sanitizer/sanitize';
import { distance } from './distance.ts';
import type { Compared } from './fidelity-table.ts';

const TIMEOUT_MS = 300_000;

/** The PDF that Office made of a document, beside it. */
export const besideOf = (document: string): string => document.replace(/\.\w+$/, '.pdf');

/** Converts a document as the service does, writes the PDF, and compares it with that of Office. */
export async function compareDocument(engine: Engine, document: string, pdf: string): Promise<Compared> {
  const { base, ext } = parse(document);
  const options = conversion.parse(convertOptions.parse({ from: ext.slice(1) }));
  const parts: ConvertParts = {
    engines: [engine],
    prepare: ({ bytes, options }) => prepare(Buffer.from(bytes), options),
    finish,
    fonts: systemFonts(),
    draw: () => Promise.reject(new Error('a PDF is not drawn')),
    onRemoved: () => undefined,
  };
  const context = { signal: new AbortController().signal, deadlineAt: Date.now() + TIMEOUT_MS };
  const { bytes, report } = await convert(parts, readFileSync(document), options, context);
  writeFileSync(pdf, bytes);
  const { replaced = [], sameWidths = [] } = report.fonts;
  return {
    name: base,
    format: options.from,
    replacedFonts: [...replaced, ...sameWidths].map(({ asked, used }) => `${asked} by ${used}`),
    distance: distance(besideOf(document), pdf),
  };
}
