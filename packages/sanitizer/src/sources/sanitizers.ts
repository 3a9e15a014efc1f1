import { docSanitizer } from './doc.ts';
import { htmlSanitizer } from './html.ts';
import { markdownSanitizer } from './markdown.ts';
import { odtSanitizer } from './odt.ts';
import { rtfSanitizer } from './rtf.ts';
import type { SourceFormat, SourceSanitizer } from './source.ts';
import { textSanitizer } from './text.ts';

/** Every source format beside DOCX. */
export const SOURCE_SANITIZERS: Readonly<Record<SourceFormat, SourceSanitizer>> = {
  odt: odtSanitizer,
  rtf: rtfSanitizer,
  doc: docSanitizer,
  html: htmlSanitizer,
  md: markdownSanitizer,
  txt: textSanitizer,
};
