import type { FieldRule } from './fields.ts';
import { isPlainLink } from './link-schemes.ts';

/** Fields that read other files, start other programs or ask databases (ECMA-376-1 §17.16.5, MS-OI29500). */
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
  'PRINT',
]);

export const activeFields: FieldRule = ({ name }) => (NAMES.has(name) ? 'field' : undefined);

/** `HYPERLINK` fields whose address would run something. */
export const scriptLinks: FieldRule = ({ name, instruction }) => {
  if (name !== 'HYPERLINK') return undefined;
  const address = /HYPERLINK\s+(?:"([^"]*)"|(\S+))/i.exec(instruction);
  return isPlainLink(address?.[1] ?? address?.[2] ?? '') ? undefined : 'script link';
};
