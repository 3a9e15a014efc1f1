/** The first word of an instruction, in capitals; `=` for a formula. */
export function fieldName(instruction: string): string {
  return /^[\s"'\\\u201c\u201d]*([A-Za-z]+|=)/.exec(instruction)?.[1]?.toUpperCase() ?? '';
}

const BUTTON = /^\s*(?:MACROBUTTON|GOTOBUTTON)\s+(?:"[^"]*"|[^\s"]+)\s?/i;

/**
 * The text that a button shows, and its offset in the instruction (ECMA-376-1 §17.16.5.35). Undefined for all other
 * fields.
 */
export function displayOf(instruction: string): { text: string; at: number } | undefined {
  const [head] = BUTTON.exec(instruction) ?? [];
  return head === undefined ? undefined : { text: instruction.slice(head.length), at: head.length };
}

/** The words of an instruction after its name (ECMA-376-1 §17.16.1). */
export interface Words {
  arguments: Word[];
  /** The values of switches by their letter; empty for a switch without one. */
  switches: ReadonlyMap<string, string>;
  /** The values of `\*`, in lower case. Letter case selects the case of letters and numerals, so `cases` has them as written. */
  formats: readonly string[];
  cases: readonly string[];
}

export interface Word {
  text: string;
  isQuoted: boolean;
}

const WORD = /"((?:[^"\\]|\\.)*)"?|\\([^\s"\\]?)|[^\s"\\]+/gsu;
const OPERAND = /"((?:[^"\\]|\\.)*)"?|\\([^\s"\\]?)|<>|<=|>=|[=<>]|[^\s"\\=<>]+/gsu;
const TYPOGRAPHIC_QUOTES = /[\u201c\u201d\u201e]/g;
/** Switches with a value, besides `\*`, `\@` and `\#`. */
const VALUED: ReadonlyMap<string, string> = new Map([
  ['HYPERLINK', 'lot'],
  ['REF', 'd'],
]);

/** Stands for the result of an inner field. XML cannot contain this character. */
const MARK = '\ufffe';
export const placeholder = (index: number): string => `${MARK}${index}${MARK}`;
const PLACEHOLDER = new RegExp(`${MARK}(\\d+)${MARK}`, 'g');

/** Splits an instruction. `values` are the results of the fields inside, which `placeholder` marks. */
export function wordsOf(instruction: string, values: readonly string[]): Words {
  const name = fieldName(instruction);
  const text = instruction.replaceAll(TYPOGRAPHIC_QUOTES, '"');
  const valued = `*@#${VALUED.get(name) ?? ''}`;
  const found: Words & { switches: Map<string, string>; formats: string[]; cases: string[] } = {
    ...{ arguments: [], switches: new Map(), formats: [], cases: [] },
  };
  let open: string | undefined;
  const pattern = name === 'IF' || name === 'COMPARE' ? OPERAND : WORD;
  for (const [all, quoted, letter] of text.slice(text.search(/\S/) + name.length).matchAll(pattern)) {
    if (letter !== undefined) {
      open = valued.includes(letter.toLowerCase()) ? letter.toLowerCase() : undefined;
      found.switches.set(letter.toLowerCase(), '');
      continue;
    }
    const plain = (quoted ?? all).replaceAll(PLACEHOLDER, (_, index: string) => values[Number(index)] ?? '');
    const word = quoted === undefined ? plain : plain.replaceAll(/\\(["\\])/g, '$1');
    if (open === undefined)
      found.arguments.push({ text: word, isQuoted: quoted !== undefined || plain !== all });
    else if (open === '*') {
      found.formats.push(word.toLowerCase());
      found.cases.push(word);
    } else found.switches.set(open, word);
    open = undefined;
  }
  return found;
}
