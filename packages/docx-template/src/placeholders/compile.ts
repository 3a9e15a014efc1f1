import { decodeReferences, escapeXml, XML_DECLARATION } from '@scriptorium/ooxml/xml';
import Docxtemplater, { type DXT } from 'docxtemplater';
import PizZip from 'pizzip';
import type { Mark } from './marks.ts';

const PART = 'word/document.xml';
const PART_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml';
const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const CONTENT_TYPES =
  `${XML_DECLARATION}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
  `<Override PartName="/${PART}" ContentType="${PART_TYPE}"/></Types>`;

/**
 * The whole language: names between braces. Omits docxtemplater's loops, conditions, raw XML, other delimiters and
 * rendering, so nothing in a template or a value is ever evaluated.
 */
const LANGUAGE = {
  delimiters: { start: '{', end: '}' },
  syntax: { changeDelimiterPrefix: null, allowUnopenedTag: false, allowUnclosedTag: false },
  errorLogging: false,
  fileTypeConfig: {
    getTemplatedFiles: () => [PART],
    tagsXmlTextArray: ['w:t'],
    tagsXmlLexedArray: [],
    baseModules: [],
  },
};

/**
 * The names of marks, read by docxtemplater. It gets only the marks, run by run, in a package created here. Its lexer
 * joins the text of a whole part, in which a single unpaired brace would change the meaning of everything after it.
 */
export function readNames(marks: readonly Mark[]): string[] {
  if (marks.length === 0) return [];
  const zip = new PizZip();
  zip.file('[Content_Types].xml', CONTENT_TYPES);
  zip.file(PART, partWith(marks));
  const reader = new NameReader();
  new Docxtemplater(zip, { ...LANGUAGE, modules: [reader] });
  const { names } = reader;
  if (names.length !== marks.length) throw new Error('docxtemplater found different placeholders');
  return names;
}

/** A token of docxtemplater's lexer. */
interface Token {
  type: 'tag' | 'content' | 'delimiter';
  position: string;
  value: string;
}

/** A docxtemplater module that collects the names from the lexer, and leaves nothing to parse or render. */
class NameReader implements DXT.Module {
  readonly name = 'placeholder names';
  readonly names: string[] = [];

  preparse(lexed: readonly Token[]): Token[] {
    let written = '';
    for (const { type, position, value } of lexed) {
      if (type === 'content' && position === 'insidetag') written += value;
      if (type !== 'delimiter') continue;
      if (position === 'end') this.names.push(decodeReferences(written).trim());
      written = '';
    }
    return [];
  }
}

function partWith(marks: readonly Mark[]): string {
  const paragraphs = marks.map(({ story, named }) => {
    const runs = named.map(({ start, end }) => run(decodeReferences(story.xml.slice(start, end))));
    return `<w:p>${runs.join('')}</w:p>`;
  });
  const body = `<w:body>${paragraphs.join('')}</w:body>`;
  return `${XML_DECLARATION}<w:document xmlns:w="${WORD}">${body}</w:document>`;
}

function run(text: string): string {
  return `<w:r><w:t>${escapeXml(text)}</w:t></w:r>`;
}
