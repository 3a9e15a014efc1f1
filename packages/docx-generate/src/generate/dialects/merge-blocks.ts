import { type Expression, parseExpression } from '@scriptorium/expressions/expression';
import type { Instruction } from '../instruction.ts';
import { joined, notTaken } from './dialect.ts';

const BLOCK = /^\s*(?:ADDRESSBLOCK|GREETINGLINE)\b/i;
const SWITCH = /\\([a-z])\s*"([^"]*)"/gi;
/** `<<_FIRST0_>>`, with text before and after the name that is shown only with a value. */
const PART = /<<([^<>_]*)_([A-Z]+\d?)_([^<>]*)>>/g;
/** The columns that Word and its users name so. Case, spaces and `_` do not matter. */
const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  TITLE0: ['Courtesy Title', 'Title', 'Salutation'],
  NICK0: ['Nickname'],
  FIRST0: ['First Name', 'FirstName', 'First'],
  MIDDLE0: ['Middle Name', 'MiddleName'],
  LAST0: ['Last Name', 'LastName', 'Last', 'Surname'],
  SUFFIX0: ['Suffix'],
  TITLE1: ['Spouse Courtesy Title'],
  FIRST1: ['Spouse First Name'],
  LAST1: ['Spouse Last Name'],
  COMPANY: ['Company', 'Company Name', 'CompanyName'],
  STREET1: ['Address 1', 'Address1', 'Address Line 1', 'Street', 'Address'],
  STREET2: ['Address 2', 'Address2', 'Address Line 2'],
  CITY: ['City', 'Town'],
  STATE: ['State', 'Province'],
  POSTAL: ['Postal Code', 'PostalCode', 'Zip Code', 'ZipCode', 'Zip', 'Postcode'],
  COUNTRY: ['Country or Region', 'Country', 'CountryOrRegion'],
};
const EMPTY: Expression = { kind: 'literal', value: '' };

/** Whether a field is the block of an address or a greeting, which Word makes of several columns. */
export function isMergeBlock(instruction: string): boolean {
  return BLOCK.test(instruction);
}

/** `GREETINGLINE \f "<<_BEFORE_ Dear >><<_FIRST0_>><<_AFTER_ ,>>" \e "Dear Sir or Madam,"` (ECMA-376-1 §17.16.5.24). */
export function readMergeBlock(instruction: string): Instruction {
  const switches = new Map([...instruction.matchAll(SWITCH)].map(([, name = '', text = '']) => [name, text]));
  const format = switches.get('f') ?? '';
  const pieces: Expression[] = [];
  const names: Expression[] = [];
  let at = 0;
  for (const { 0: written, 1: before = '', 2: name = '', 3: after = '', index } of format.matchAll(PART)) {
    pieces.push(textOf(format.slice(at, index)));
    at = index + written.length;
    if (name === 'BEFORE' || name === 'AFTER') pieces.push(textOf(after.replace(/^ /, '')));
    else {
      const column = columnOf(name);
      names.push(column);
      pieces.push(ifAny([column], joined([textOf(before), column, textOf(after)]), EMPTY));
    }
  }
  if (names.length === 0) throw notTaken('An address block or a greeting without a format', 'write \\f "…"');
  pieces.push(textOf(format.slice(at)));
  const otherwise = switches.get('e');
  // Without any column, the first one is missing.
  const empty = otherwise === undefined ? names[0] : textOf(otherwise);
  return { type: 'value', expression: ifAny(names, joined(pieces), empty ?? EMPTY) };
}

function textOf(text: string): Expression {
  return { kind: 'literal', value: text.replace(/\r\n?/g, '\n') };
}

function columnOf(name: string): Expression {
  const columns = COLUMNS[name];
  if (columns === undefined)
    throw notTaken(`“${name}” in an address block or a greeting`, 'use merge fields');
  return columns
    .map((column) => parseExpression(column, { syntax: 'word', isLoose: true }))
    .reduce((left, right) => ({ kind: 'else', left, right }));
}

function ifAny(values: readonly Expression[], whenTrue: Expression, whenFalse: Expression): Expression {
  const test = values.reduce((left, right) => ({ kind: 'or', left, right }));
  return { kind: 'conditional', test, whenTrue, whenFalse };
}
