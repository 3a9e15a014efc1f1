import type { FieldRule } from '../docx/fields.ts';

/** Fields whose text depends on the moment: they keep what they last showed unless the caller asks for new values. */
const MOMENTS = new Set(['DATE', 'TIME', 'EDITTIME', 'PRINTDATE', 'SAVEDATE', 'CREATEDATE']);

/** Fields that would tell of this service instead of the document: its file names, its user. */
const SURROUNDINGS = new Set([
  'FILENAME',
  'FILESIZE',
  'TEMPLATE',
  'USERNAME',
  'USERINITIALS',
  'USERADDRESS',
  'LASTSAVEDBY',
]);

/** The rule that freezes such fields; `onFrozen` is called for each. */
export function frozenFields(keepsMoments: boolean, onFrozen: () => void): FieldRule {
  return ({ name }) => {
    if (!SURROUNDINGS.has(name) && !(keepsMoments && MOMENTS.has(name))) return undefined;
    onFrozen();
    return 'unreported';
  };
}
