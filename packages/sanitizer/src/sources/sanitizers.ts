import { docGate } from './doc.ts';
import { htmlGate } from './html.ts';
import { markdownGate } from './markdown.ts';
import { odtGate } from './odt.ts';
import { rtfGate } from './rtf.ts';
import type { SourceFormat, SourceGate } from './source.ts';
import { textGate } from './text.ts';

/** Every source format beside DOCX. */
export const SOURCE_GATES: Readonly<Record<SourceFormat, SourceGate>> = {
  odt: odtGate,
  rtf: rtfGate,
  doc: docGate,
  html: htmlGate,
  md: markdownGate,
  txt: textGate,
};
