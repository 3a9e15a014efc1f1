import type { Edit } from '@scriptorium/ooxml/xml';

/** New names, by the old ones in lower case: Word compares names of bookmarks and styles without regard to case. */
export interface NewNames {
  bookmarks: ReadonlyMap<string, string>;
  styles: ReadonlyMap<string, string>;
}

/** A word of an instruction: a switch, a text in quotation marks, or another text. */
interface Token {
  start: number;
  end: number;
  /** Without quotation marks. */
  text: string;
  isQuoted: boolean;
}

const TOKEN = /"((?:[^"\\]|\\.)*)"?|\\[^\s"\\]*|[^\s"\\]+/gs;
/** A name, or that of a function with its parenthesis. */
const IDENTIFIER = /([\p{L}_][\p{L}\p{N}_]*)\s*(\(?)/gu;
/** Fields whose first argument names a bookmark (ECMA-376-1 §17.16.5). */
const OF_BOOKMARK = new Set(['REF', 'PAGEREF', 'NOTEREF', 'GOTOBUTTON', 'ASK', 'SET']);
/** Switches whose argument names a bookmark, by the field. */
const SWITCHES: ReadonlyMap<string, string> = new Map([
  ['TOC', '\\b'],
  ['TOA', '\\b'],
  ['INDEX', '\\b'],
  ['XE', '\\r'],
  ['HYPERLINK', '\\l'],
]);
/** Fields without an argument that have the form of a reference to a bookmark. */
const PLAIN =
  /^(PAGE|NUMPAGES|SECTION|SECTIONPAGES|DATE|TIME|TITLE|SUBJECT|AUTHOR|KEYWORDS|COMMENTS|LASTSAVEDBY|REVNUM|CREATEDATE|SAVEDATE|PRINTDATE|EDITTIME|TEMPLATE|FILENAME|FILESIZE|NUMCHARS|NUMWORDS|USERNAME|USERINITIALS|USERADDRESS|AUTONUM|AUTONUMLGL|AUTONUMOUT|LISTNUM|FORMTEXT|FORMCHECKBOX|FORMDROPDOWN|NEXT|MERGEREC|MERGESEQ|BIBLIOGRAPHY|CITATION|INFO)$/i;

/** What changes in an instruction so that it follows bookmarks and styles to their new names, in order. */
export function renamesIn(instruction: string, { bookmarks, styles }: NewNames): Edit[] {
  if (bookmarks.size === 0 && styles.size === 0) return [];
  if (/^\s*=/.test(instruction)) return identifiers(instruction, 0, bookmarks);
  const tokens = tokensOf(instruction);
  const [field, ...rest] = tokens;
  if (field === undefined) return [];
  const kind = field.text.toUpperCase();
  if (kind === 'STYLEREF') return styleReference(rest, styles);
  if (kind === 'IF')
    return rest
      .slice(0, 3)
      .flatMap(({ isQuoted, text, start }) => (isQuoted ? [] : identifiers(text, start, bookmarks)));
  const named = namedBy(kind, field, rest);
  const found = named.flatMap((token) => renamed(token, bookmarks));
  if (kind !== 'TOC') return found;
  return [...found, ...styleLists(rest, styles)].toSorted((a, b) => a.start - b.start);
}

/** The words of an instruction that name bookmarks. */
function namedBy(kind: string, field: Token, rest: readonly Token[]): Token[] {
  const [first, second] = rest;
  if (OF_BOOKMARK.has(kind)) return rest.filter((token, at) => at === 0 && !isSwitch(token));
  if (kind === 'SEQ') return second === undefined || isSwitch(second) ? [] : [second];
  // With an address, the place is in another document.
  if (kind === 'HYPERLINK' && first !== undefined && !isSwitch(first) && first.text !== '') return [];
  const wanted = SWITCHES.get(kind);
  if (wanted !== undefined) return argumentsOf(rest, wanted);
  return PLAIN.test(kind) || field.isQuoted || (first !== undefined && !isSwitch(first)) ? [] : [field];
}

const isSwitch = ({ text, isQuoted }: Token): boolean => !isQuoted && text.startsWith('\\');

const argumentsOf = (tokens: readonly Token[], name: string): Token[] =>
  tokens.filter((_, at) => {
    const before = tokens[at - 1];
    return before !== undefined && isSwitch(before) && before.text.toLowerCase() === name;
  });

function tokensOf(instruction: string): Token[] {
  return [...instruction.matchAll(TOKEN)].map((found) => {
    const [all, quoted] = found;
    return {
      start: found.index,
      end: found.index + all.length,
      text: quoted ?? all,
      isQuoted: quoted !== undefined,
    };
  });
}

function renamed({ start, end, text, isQuoted }: Token, names: ReadonlyMap<string, string>): Edit[] {
  const name = names.get(text.trim().toLowerCase());
  if (name === undefined || name === text) return [];
  return [{ start, end, text: isQuoted ? quoted(name) : name }];
}

const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;

function identifiers(text: string, from: number, names: ReadonlyMap<string, string>): Edit[] {
  return [...text.matchAll(IDENTIFIER)].flatMap((found) => {
    const [, word = '', parenthesis] = found;
    if (parenthesis !== '') return [];
    const start = from + found.index;
    return renamed({ start, end: start + word.length, text: word, isQuoted: false }, names);
  });
}

/** A digit means a heading of this level. */
function styleReference([first]: readonly Token[], styles: ReadonlyMap<string, string>): Edit[] {
  if (first === undefined || isSwitch(first)) return [];
  const name = /^[1-9]$/.test(first.text) ? `heading ${first.text}` : first.text;
  return renamed({ ...first, text: name, isQuoted: true }, styles);
}

/** `\t "Style,1,Other,2"`: styles and their levels. Another separator of lists is the semicolon. */
function styleLists(tokens: readonly Token[], styles: ReadonlyMap<string, string>): Edit[] {
  return argumentsOf(tokens, '\\t').flatMap(({ start, end, text }) => {
    const list = text.replaceAll(/[^,;]+/g, (name) => styles.get(name.trim().toLowerCase()) ?? name);
    return list === text ? [] : [{ start, end, text: `"${list}"` }];
  });
}
