import { escapeXml, XML_DECLARATION } from '@scriptorium/ooxml/xml';
import Docxtemplater, { type DXT } from 'docxtemplater';
import PizZip from 'pizzip';
import type { Instruction, Unit } from '../instruction.ts';
import { attempt, type Dialect, expressionOf, notTaken, type Tag, type TagReading } from './dialect.ts';

/** The tags of docxtemplater and easy-template-x: `{a.b}`, `{#xs}…{/xs}`, `{^c}…{/c}`, `{-w:tr xs}`. */
export const curly: Dialect = {
  syntax: 'curly',
  read(tags) {
    const readable = tags.filter(({ form, inner }) => form !== 'comment' && isReadable(inner));
    const texts = [...new Set(readable.map(({ inner }) => inner))];
    const parts = readParts(texts);
    const readings = new Map(
      texts.map((text, index) => [text, attempt(() => instructionOf(parts[index], text))] as const),
    );
    return tags.map((tag) => {
      if (tag.form === 'comment') return { instruction: { type: 'comment' } };
      return readings.get(tag.inner) ?? unreadable(tag);
    });
  },
};

const PART = 'word/document.xml';
const PART_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml';
const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const CONTENT_TYPES =
  `${XML_DECLARATION}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
  `<Override PartName="/${PART}" ContentType="${PART_TYPE}"/></Types>`;
/** Characters for private use, so that a tag may contain any delimiter. */
const [START, END] = ['\ue000', '\ue001'];

/** What the types of docxtemplater omit. */
interface Configured {
  FileTypeConfig: { docx(): { baseModules: readonly (() => DXT.Module)[] } };
}

/** The modules of docxtemplater that name kinds of tags. Nothing is rendered, so nothing is evaluated. */
const KINDS = new Set(['LoopModule', 'RawXmlModule']);

const UNITS: ReadonlyMap<string, Unit> = new Map([
  ['w:tr', 'row'],
  ['w:tc', 'cell'],
  ['w:tbl', 'table'],
  ['w:p', 'paragraph'],
  ['w:r', 'run'],
]);
/** `loopOver` of easy-template-x. */
const LOOPS_OVER: ReadonlyMap<string, Unit | undefined> = new Map([
  ['row', 'row'],
  ['column', 'column'],
  ['paragraph', 'paragraph'],
  ['content', undefined],
]);
/** Options of easy-template-x: `[loopOver: "row"]`. */
const OPTIONS = /^\s*\w+\s*:/;
const LOOP_OVER = /^\s*loopOver\s*:\s*["'“”„‘’]?(\w+)["'“”‘’]?\s*,?\s*$/;

/** What docxtemplater reads in a tag. */
interface ParsedTag {
  type: string;
  module?: string;
  location?: 'start' | 'end';
  inverted?: boolean;
  expandTo?: string;
  value: string;
}

function isReadable(text: string): boolean {
  return text.trim() !== '' && !text.includes(START) && !text.includes(END);
}

function unreadable({ inner }: Tag): TagReading {
  return { issue: inner.trim() === '' ? 'Empty tag' : 'The tag has a character for private use' };
}

/** Reads tags by the lexer, the parser and the modules of docxtemplater, one tag a paragraph. */
function readParts(texts: readonly string[]): ParsedTag[] {
  if (texts.length === 0) return [];
  const paragraphs = texts.map((text) => `<w:p><w:r><w:t>${START}${escapeXml(text)}${END}</w:t></w:r></w:p>`);
  const zip = new PizZip();
  zip.file('[Content_Types].xml', CONTENT_TYPES);
  zip.file(
    PART,
    `${XML_DECLARATION}<w:document xmlns:w="${WORD}"><w:body>${paragraphs.join('')}</w:body></w:document>`,
  );
  const reader = new TagReader();
  const { baseModules } = (Docxtemplater as unknown as Configured).FileTypeConfig.docx();
  new Docxtemplater(zip, {
    delimiters: { start: START, end: END },
    syntax: { changeDelimiterPrefix: null },
    errorLogging: false,
    modules: [reader],
    fileTypeConfig: {
      getTemplatedFiles: () => [PART],
      tagsXmlTextArray: ['w:t'],
      tagsXmlLexedArray: [],
      baseModules: baseModules.filter((create) => KINDS.has(create().name)),
    },
  });
  if (reader.tags.length !== texts.length) throw new Error('docxtemplater found different tags');
  return reader.tags;
}

/** A docxtemplater module that takes the parsed tags, and leaves nothing to pair or render. */
class TagReader implements DXT.Module {
  readonly name = 'tag reader';
  /** Before the modules that pair tags. */
  readonly priority = 1_000;
  readonly tags: ParsedTag[] = [];

  postparse(parsed: readonly ParsedTag[]): DXT.Part[] {
    for (const part of parsed) if (part.type === 'placeholder') this.tags.push(part);
    return [];
  }
}

function instructionOf(part: ParsedTag | undefined, text: string): Instruction {
  if (part === undefined) throw new Error('docxtemplater did not read a tag');
  if (part.module === 'rawxml')
    throw notTaken('Raw XML', 'use {~name} with markup, or a value such as {"$pageBreak": true}');
  if (part.module !== 'loop') return readValue(part.value);
  const value = part.value.trim();
  if (part.location === 'end') return { type: 'close', name: value };
  const { name, unit } = withoutOptions(value);
  const kind = part.inverted === true ? 'inverted' : 'section';
  const range = unitOf(part.expandTo) ?? unit;
  return {
    type: 'open',
    kind,
    name,
    expression: expressionOf(name, 'curly'),
    ...(range === undefined ? {} : { unit: range }),
  };
  function unitOf(element = 'auto'): Unit | undefined {
    if (element === 'auto') return undefined;
    const found = UNITS.get(element);
    if (found === undefined)
      throw notTaken(`A loop over ${element} (“${text}”)`, 'use w:p, w:tbl, w:tr, w:tc or w:r');
    return found;
  }
}

function withoutOptions(value: string): { name: string; unit?: Unit | undefined } {
  const options = optionsOf(value);
  if (options === undefined) return { name: value };
  const over = LOOP_OVER.exec(options)?.[1] ?? '';
  if (!LOOPS_OVER.has(over))
    throw notTaken(
      `The option [${options.trim()}]`,
      'use loopOver: "row", "column", "paragraph" or "content"',
    );
  return { name: value.slice(0, value.lastIndexOf('[')).trim(), unit: LOOPS_OVER.get(over) };
}

function optionsOf(value: string): string | undefined {
  const options = value.endsWith(']') ? value.slice(value.lastIndexOf('[') + 1, -1) : '';
  return OPTIONS.test(options) ? options : undefined;
}

/** Prefixes of docxtemplater's modules for pictures and markup. */
const KIND_PREFIX = /^(%%?|~~?)(?=[^%~])/;
const OTHER_PREFIX = /^([:*£&?;,<>|=+]|\$(?!\w+(?:\W|$))|-(?=\w+:))/;

/** The sign before a name in the merge fields of Salesforce: `{!Account.Name}`. */
const SALESFORCE = /^!(?=[\p{L}_$][\p{L}\p{N}_$.]*$)/u;

function readValue(written: string): Instruction {
  const text = written.trim();
  const prefix = KIND_PREFIX.exec(text)?.[1];
  if (prefix !== undefined) {
    const expression = expressionOf(text.slice(prefix.length), 'curly');
    return { type: 'value', expression, as: prefix.startsWith('%') ? 'image' : 'markup' };
  }
  const other = OTHER_PREFIX.exec(text)?.[1];
  if (other !== undefined)
    throw notTaken(`A tag that begins with “${other}”`, 'use a name, {#name} or {%name}');
  if (optionsOf(text) !== undefined)
    throw notTaken('A tag with options', 'send the value with its kind, such as {"$image": …}');
  return { type: 'value', expression: expressionOf(text.replace(SALESFORCE, ''), 'curly') };
}
