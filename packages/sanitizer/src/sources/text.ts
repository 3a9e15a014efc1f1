import { BOUNDS, boundPassed } from '@scriptorium/ooxml/bounds';
import { DOCX_MAIN_TYPE, newPackage } from '@scriptorium/ooxml/package';
import { escapeXml, NAMESPACES } from '@scriptorium/ooxml/xml';
import { decodeText, refuseForeignText } from './decode-text.ts';
import { type Paper, paperTwips } from './paper.ts';
import type { SourceSanitizer } from './source.ts';

const NAME = 'a plain text';

const COLUMNS = 80;
/** A longer line becomes several paragraphs, because layout time grows with the square of a paragraph's length. */
const PARAGRAPH_CHARS_MAX = 50 * COLUMNS;
const PARAGRAPH_CHARS_MIN = PARAGRAPH_CHARS_MAX - COLUMNS;

const STYLES = 'word/styles.xml';
const SETTINGS = 'word/settings.xml';
const WORD = 'application/vnd.openxmlformats-officedocument.wordprocessingml';

/** Ten points of a monospaced font: 80 characters between the margins of an A4 page. */
const STYLES_XML =
  `<w:styles xmlns:w="${NAMESPACES.w}"><w:docDefaults><w:rPrDefault><w:rPr>` +
  '<w:rFonts w:ascii="Liberation Mono" w:hAnsi="Liberation Mono" w:cs="Liberation Mono"/><w:sz w:val="20"/><w:szCs w:val="20"/>' +
  '</w:rPr></w:rPrDefault></w:docDefaults>' +
  '<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style></w:styles>';
/** A tab stop every eight characters. */
const SETTINGS_XML = `<w:settings xmlns:w="${NAMESPACES.w}"><w:defaultTabStop w:val="960"/></w:settings>`;
const MARGINS =
  '<w:pgMar w:top="1134" w:right="1134" w:bottom="1134" w:left="1134" w:header="567" w:footer="567" w:gutter="0"/>';

/** Characters that only terminals use, and those that XML does not allow. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const UNSEEN = /[\u0008\u001a\u001b\u007f\ufeff\ufffe\uffff]/g;
const FIRST_LETTER = /\p{L}/u;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

function runContent(text: string): string {
  return text
    .split('\t')
    .map((piece) => (piece === '' ? '' : `<w:t xml:space="preserve">${escapeXml(piece)}</w:t>`))
    .join('<w:tab/>');
}

function paragraph(text: string): string {
  const content = text.split('\f').map(runContent).join('<w:br w:type="page"/>');
  const isRightToLeft = RIGHT_TO_LEFT.test(FIRST_LETTER.exec(text)?.[0] ?? '');
  const properties = isRightToLeft ? '<w:pPr><w:bidi/></w:pPr>' : '';
  return content === '' ? `<w:p>${properties}</w:p>` : `<w:p>${properties}<w:r>${content}</w:r></w:p>`;
}

/** A line as paragraphs, each cut at a space if there is one in its last 80 characters. */
function* cut(line: string): Generator<string> {
  let from = 0;
  while (line.length - from > PARAGRAPH_CHARS_MAX) {
    const blank = line.lastIndexOf(' ', from + PARAGRAPH_CHARS_MAX);
    let to = blank >= from + PARAGRAPH_CHARS_MIN ? blank + 1 : from + PARAGRAPH_CHARS_MAX;
    // A cut must not separate a surrogate pair.
    if (/[\ud800-\udbff]/.test(line.charAt(to - 1))) to--;
    yield line.slice(from, to);
    from = to;
  }
  yield line.slice(from);
}

function linesOf(text: string): string[] {
  const lines = text.replace(UNSEEN, '').split(/\r\n|[\n\r\v\u0085\u2028\u2029]/);
  if (lines.at(-1) === '') lines.pop();
  let shown = 0;
  for (const line of lines)
    shown += Math.max(1, Math.ceil(line.length / COLUMNS)) + line.split('\f').length - 1;
  if (shown > BOUNDS.textLinesMax) throw boundPassed('textLinesMax');
  return lines;
}

function docxOf(lines: readonly string[], paper: Paper): Buffer {
  const body: string[] = [];
  for (const line of lines) for (const piece of cut(line)) body.push(paragraph(piece));
  const links = [
    ['styles', STYLES],
    ['settings', SETTINGS],
  ] as const;
  return newPackage(
    [
      { name: 'word/document.xml', contentType: DOCX_MAIN_TYPE, xml: documentXml(body, paper), links },
      { name: STYLES, contentType: `${WORD}.styles+xml`, xml: STYLES_XML },
      { name: SETTINGS, contentType: `${WORD}.settings+xml`, xml: SETTINGS_XML },
    ],
    { isCompressed: false },
  );
}

function documentXml(body: readonly string[], paper: Paper): string {
  const [width, height] = paperTwips(paper);
  const section = `<w:sectPr><w:pgSz w:w="${width}" w:h="${height}"/>${MARGINS}</w:sectPr>`;
  return `<w:document xmlns:w="${NAMESPACES.w}"><w:body>${body.join('')}${section}</w:body></w:document>`;
}

/** Converts plain text to a new DOCX with one paragraph per line. */
export const textSanitizer: SourceSanitizer = {
  async prepare(bytes, { paper = 'a4' }) {
    const text = decodeText(bytes);
    await refuseForeignText(text, bytes, NAME);
    return { bytes: docxOf(linesOf(text), paper), engineSource: 'docx', dropped: [] };
  },
};
