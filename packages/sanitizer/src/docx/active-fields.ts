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

export const activeFields: FieldRule = ({ name }) => (NAMES.has(name) ? 'field' : undefined);

const ARGUMENT = /"([^"]*)"?|[^\s"]+/g;
/** Switches of `HYPERLINK` that take a value (ECMA-376-1 §17.16.5.25). */
const VALUED_SWITCH = /^\\[lot]$/i;

/** `HYPERLINK` fields whose address would run something. The address may precede or follow the switches. */
export const unsafeLinks: FieldRule = ({ name, instruction }) => {
  if (name !== 'HYPERLINK') return undefined;
  const values = [...instruction.matchAll(ARGUMENT)].map(([whole, quoted]) => quoted ?? whole);
  const addresses = values.filter((_, index) => !VALUED_SWITCH.test(values[index - 1] ?? ''));
  return addresses.every(isSafeLink) ? undefined : 'unsafe link';
};
