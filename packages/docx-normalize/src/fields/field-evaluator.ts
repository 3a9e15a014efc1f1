import type { Part } from '@scriptorium/ooxml/package';
import { childOf, childValue, decodeReferences, descendantsOf, type XmlNode } from '@scriptorium/ooxml/xml';
import { holds } from './condition.ts';
import { type DocumentValue, type DocumentValues, knownLanguage } from './document-values.ts';
import type { FoundField, NoteNumber, PartFields } from './field-reader.ts';
import { compute, type FormulaTable, numberIn } from './formula.ts';
import { placeholder, type Word, type Words, wordsOf } from './instruction.ts';
import { numberAs } from './number-words.ts';
import { formatDate, formatShort, formatted, numeral, numericText } from './pictures.ts';

/** The document of the fields. */
export interface FieldSurroundings {
  main: PartFields | undefined;
  sections: readonly XmlNode[];
  values: DocumentValues;
  now: Date;
  /** Size of the file. */
  fileBytes: number;
}

const VALUE_CHARS_MAX = 10_000;
/** For the texts of all bookmarks and tables that fields ask for. */
const READ_CHARS_MAX = 5_000_000;
/** For the cells that formulas read; one that several formulas read counts each time. */
const COMPUTED_CHARS_MAX = 20_000_000;
const CELLS_MAX = 10_000;
/** Stands for the result of a field that is not known. XML cannot contain it. */
const UNKNOWN = '\uffff';
/** Fields that show a property of their name. */
const PROPERTIES = new Set([
  ...['TITLE', 'SUBJECT', 'AUTHOR', 'KEYWORDS', 'COMMENTS', 'LASTSAVEDBY', 'REVNUM', 'TEMPLATE', 'EDITTIME'],
  ...['CREATEDATE', 'SAVEDATE', 'PRINTDATE'],
]);
const NUMERALS: Readonly<Record<string, string>> = {
  upperRoman: 'roman',
  lowerRoman: 'roman',
  upperLetter: 'alphabetic',
  lowerLetter: 'alphabetic',
  decimal: 'arabic',
};

type Value = DocumentValue | undefined;

/** Computes the values of fields from the document. */
export class FieldEvaluator {
  readonly #around: FieldSurroundings;
  readonly #variables = new Map<string, string>();
  readonly #bookmarkTexts = new Map<string, string | undefined>();
  readonly #tables = new Map<XmlNode, string[][] | undefined>();
  #charsLeft = READ_CHARS_MAX;
  #computedCharsLeft = COMPUTED_CHARS_MAX;

  constructor(around: FieldSurroundings) {
    this.#around = around;
  }

  /** What a field shows. `section` counts from 1. Undefined for a field that is not computed here. */
  valueOf(part: Part, field: FoundField, section: number | undefined): string | undefined {
    const values: string[] = [];
    let instruction = '';
    for (const piece of field.pieces) {
      if (typeof piece === 'string') instruction += piece;
      else {
        instruction += placeholder(values.length);
        values.push(this.#innerValue(part, piece, section) ?? UNKNOWN);
      }
    }
    const words = wordsOf(instruction, values);
    const value = this.#raw(part, field, words, section, instruction, values);
    const text = value === undefined ? undefined : this.#format(value, words, field);
    return text === undefined || text.includes(UNKNOWN) || text.length > VALUE_CHARS_MAX ? undefined : text;
  }

  /** Inside another field, a few more fields have a value here. */
  #innerValue(part: Part, field: FoundField, section: number | undefined): string | undefined {
    const own = this.valueOf(part, field, section);
    if (own !== undefined) return own;
    const words = wordsOf(
      field.pieces.map((piece) => (typeof piece === 'string' ? piece : UNKNOWN)).join(''),
      [],
    );
    const [first] = words.arguments;
    if (field.name === 'MERGEFIELD') return storedText(part, field);
    if (field.name === 'DATE' || field.name === 'TIME') return this.#format(this.#around.now, words, field);
    const name = field.name === 'REF' ? first?.text : field.name;
    const text = field.name === 'REF' || first === undefined ? this.#named(name ?? '') : undefined;
    return text === undefined ? undefined : this.#format(text, words, field);
  }

  #raw(
    part: Part,
    field: FoundField,
    words: Words,
    section: number | undefined,
    instruction: string,
    inner: readonly string[],
  ): Value {
    const [first, second] = words.arguments;
    const { values, fileBytes } = this.#around;
    switch (field.name) {
      case 'SET':
        if (first !== undefined && second !== undefined)
          this.#variables.set(first.text.toUpperCase(), second.text);
        return undefined;
      case 'DOCPROPERTY':
      case 'INFO':
        return first && values.properties.get(first.text.trim().toUpperCase());
      case 'DOCVARIABLE':
        return first && values.variables.get(first.text.trim().toUpperCase());
      case 'QUOTE':
        return words.arguments.map(({ text }) => text).join(' ');
      case 'IF':
      case 'COMPARE':
        return this.#condition(field.name, words.arguments);
      case '=':
        return this.#formula(part, field, instruction, inner);
      case 'SECTION':
        return section;
      case 'NOTEREF':
        return this.#noteNumber(first?.text ?? '');
      case 'FILESIZE':
        if (words.switches.has('k')) return Math.round(fileBytes / 1000);
        return words.switches.has('m') ? Math.round(fileBytes / 1e6) : fileBytes;
      default:
        // With an argument, a field changes the property.
        if (!PROPERTIES.has(field.name)) return undefined;
        return first === undefined ? values.properties.get(field.name) : first.text;
    }
  }

  #format(value: DocumentValue, words: Words, field: FoundField): string | undefined {
    const { values } = this.#around;
    const language = field.language === undefined ? values.language : knownLanguage(field.language);
    const conventions = { language, decimal: values.decimal };
    const picture = words.switches.get('@');
    if (value instanceof Date)
      return picture === undefined
        ? formatShort(value, conventions, field.name !== 'DATE')
        : formatDate(value, picture, conventions);
    if (typeof value === 'boolean') return value ? 'Y' : 'N';
    return words.formats.reduce<string | undefined>(
      (text, format, at) =>
        text === undefined ? text : formatted(text, format, words.cases[at] ?? '', conventions),
      typeof value === 'number' ? numeral(value, words, conventions) : numericText(value, words, conventions),
    );
  }

  #condition(name: string, words: readonly Word[]): string | undefined {
    const [left, operator, right, yes, no] = words;
    if (left === undefined || operator === undefined || right === undefined || words.length > 5)
      return undefined;
    if (!/^(?:=|<>|<=?|>=?)$/.test(operator.text) || operator.isQuoted) return undefined;
    const [a, b] = [this.#operand(left), this.#operand(right)];
    if (a.includes(UNKNOWN) || b.includes(UNKNOWN)) return undefined;
    const isTrue = holds(a, operator.text, b, this.#around.values.decimal);
    if (isTrue === undefined) return undefined;
    if (name === 'COMPARE') return isTrue ? '1' : '0';
    return (isTrue ? yes : no)?.text ?? '';
  }

  /** A word without quotation marks may name a bookmark. */
  #operand({ text, isQuoted }: Word): string {
    return (isQuoted ? undefined : this.#named(text)) ?? text;
  }

  #formula(part: Part, field: FoundField, instruction: string, inner: readonly string[]): number | undefined {
    const source = instruction.replace(/^\s*=/, '').replace(/\\[#*@!].*$/s, '');
    let isKnown = true;
    const formula = source.replaceAll(/\ufffe(\d+)\ufffe/g, (_, index: string) => {
      const value = numberIn(inner[Number(index)] ?? '', this.#around.values.decimal);
      if (value === undefined || Number.isNaN(value)) isKnown = false;
      return `(${value})`;
    });
    // The point of a number in a formula is that of the document, and so is that of an inner result.
    const { decimal } = this.#around.values;
    if (!isKnown || formula.length > VALUE_CHARS_MAX) return undefined;
    const named = (name: string) => this.#named(name);
    const table = this.#tableOf(part, field);
    const usesTable = /\b(?:ABOVE|BELOW|LEFT|RIGHT)\b|\b[A-Z]\d/i.test(formula);
    const value = compute(decimal === ',' ? formula.replaceAll('.', ',') : formula, {
      decimal,
      named,
      table,
      spend: (chars) => {
        this.#computedCharsLeft -= chars;
        return this.#computedCharsLeft >= 0;
      },
    });
    // Without a picture, Word takes the look of the cells, of which only plain numbers are known.
    if (usesTable && !/\\#/.test(instruction) && !/^-?\d*$/.test(storedText(part, field).trim()))
      return undefined;
    return value;
  }

  #named(name: string): string | undefined {
    const key = name.toUpperCase();
    const variable = this.#variables.get(key);
    if (variable !== undefined) return variable;
    if (!this.#bookmarkTexts.has(key)) this.#bookmarkTexts.set(key, this.#textOfBookmark(key));
    return this.#bookmarkTexts.get(key);
  }

  #textOfBookmark(key: string): string | undefined {
    const { main } = this.#around;
    const bookmark = main?.bookmarks.get(key);
    if (main === undefined || bookmark === undefined) return undefined;
    let text = '';
    let at = bookmark.from;
    for (; at < bookmark.to && text.length <= VALUE_CHARS_MAX; at++) text += main.texts[at];
    return this.#spend(text.length + at - bookmark.from + 1) ? text : undefined;
  }

  #spend(chars: number): boolean {
    this.#charsLeft -= chars;
    return this.#charsLeft >= 0;
  }

  #tableOf({ xml = '' }: Part, { cell }: FoundField): FormulaTable | undefined {
    const row = cell?.parent;
    const table = row?.parent;
    if (cell === undefined || row === undefined || table?.name !== 'w:tbl') return undefined;
    if (!this.#tables.has(table)) this.#tables.set(table, this.#cellTexts(table, xml));
    const rows = this.#tables.get(table);
    if (rows === undefined) return undefined;
    const inRow = (node: XmlNode, name: string) => node.children.filter((child) => child.name === name);
    return { rows, row: inRow(table, 'w:tr').indexOf(row), column: inRow(row, 'w:tc').indexOf(cell) };
  }

  /** Undefined if cells are merged: then it is unclear which column they belong to. */
  #cellTexts(table: XmlNode, xml: string): string[][] | undefined {
    const rows: string[][] = [];
    let count = 0;
    for (const row of table.children.filter(({ name }) => name === 'w:tr')) {
      const cells = row.children.filter(({ name }) => name === 'w:tc');
      count += cells.length;
      if (count > CELLS_MAX || cells.some(isMerged)) return undefined;
      rows.push(cells.map((cell) => textsIn(cell, xml)));
      if (!this.#spend(row.end - row.start)) return undefined;
    }
    return rows;
  }

  #noteNumber(name: string): string | undefined {
    const [note] = this.#around.main?.bookmarks.get(name.trim().toUpperCase())?.notes ?? [];
    return note && this.#numbered(note);
  }

  /** Numbers that begin anew on each page are known only to the engine. */
  #numbered({ kind, position, inSection, section }: NoteNumber): string | undefined {
    const { sections, values } = this.#around;
    const own = sections[section] && childOf(sections[section], `w:${kind}Pr`);
    const all = values.settings && childOf(values.settings, `w:${kind}Pr`);
    const setting = (element: string) =>
      (own && childValue(own, element)) ?? (all && childValue(all, element));
    const restart = setting('w:numRestart') ?? 'continuous';
    const format = setting('w:numFmt') ?? (kind === 'footnote' ? 'decimal' : 'lowerRoman');
    const numeral = Object.hasOwn(NUMERALS, format) ? NUMERALS[format] : undefined;
    if (restart === 'eachPage' || numeral === undefined) return undefined;
    const start = Number(setting('w:numStart') ?? 1);
    const number = (restart === 'eachSect' ? inSection : position) + start - 1;
    return Number.isSafeInteger(number) ? numberAs(numeral, number, format.startsWith('upper')) : undefined;
  }
}

function isMerged(cell: XmlNode): boolean {
  const properties = childOf(cell, 'w:tcPr');
  return (
    properties !== undefined &&
    ['w:gridSpan', 'w:vMerge', 'w:hMerge'].some((name) => childOf(properties, name))
  );
}

function textsIn(node: XmlNode, xml: string): string {
  let text = '';
  for (const { name, openEnd, closeStart } of descendantsOf(node, (inner) => inner.name === 'w:del'))
    if (name === 'w:t') text += decodeReferences(xml.slice(openEnd, closeStart));
  return text;
}

function storedText({ xml = '' }: Part, { shown }: FoundField): string {
  return shown
    .filter(({ name }) => name === 'w:t')
    .map(({ openEnd, closeStart }) => decodeReferences(xml.slice(openEnd, closeStart)))
    .join('');
}
