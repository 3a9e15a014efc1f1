import { isSafeLink } from '@scriptorium/ooxml/package';
import type { FieldRule } from './fields.ts';

/** Fields that read other files, start other programs or query databases (ECMA-376-1 §17.16.5, MS-OI29500). */
const NAMES = new Set([
  'DDE',
  'DDEAUTO',
  'INCLUDE',
  'INCLUDETEXT',
  'INCLUDEPICTURE',
  'IMPORT',
  'LINK',
  'DATABASE',
  'EMBED',
  'RD',
  'MACROBUTTON',
  'GOTOBUTTON',
  'PRINT',
]);

/** Word computes a name that an inner field completes: `{ {QUOTE 68 68 69} … }`. */
export const activeFields: FieldRule = ({ name, begun }) =>
  NAMES.has(name) || (typeof begun === 'string' && [...NAMES, 'HYPERLINK'].some((it) => it.startsWith(begun)))
    ? 'field'
    : undefined;

const ARGUMENT = /"([^"]*)"?|[^\s"]+/g;
/** Switches of `HYPERLINK` (ECMA-376-1 §17.16.5.25), and those of them that take a value. */
const SWITCH = /^\\(?:.$|[*#@])/;
const VALUED_SWITCH = /^\\[lot]$/i;

/** `HYPERLINK` fields whose address would run something. The address may precede or follow the switches. */
export const unsafeLinks: FieldRule = ({ name, instruction }) => {
  if (name !== 'HYPERLINK') return undefined;
  const words = [...instruction.matchAll(ARGUMENT)];
  const isSafe = words.every(
    ([whole, quoted], index) =>
      SWITCH.test(whole) || VALUED_SWITCH.test(words[index - 1]?.[0] ?? '') || isSafeLink(quoted ?? whole),
  );
  return isSafe ? undefined : 'unsafe link';
};
