import type { FieldRule } from '../docx/fields.ts';

/** Fields that depend on the current time. They keep their last result unless the caller requests new values. */
const MOMENTS = new Set(['DATE', 'TIME', 'EDITTIME', 'PRINTDATE', 'SAVEDATE', 'CREATEDATE']);

/** Fields that would reveal the file names and the user of this service instead of those of the document. */
const SURROUNDINGS = new Set([
  'FILENAME',
  'FILESIZE',
  'TEMPLATE',
  'USERNAME',
  'USERINITIALS',
  'USERADDRESS',
  'LASTSAVEDBY',
]);

/** The rule that freezes such fields. Calls `onFrozen` for each. */
export function frozenFields(keepsMoments: boolean, onFrozen: () => void): FieldRule {
  return ({ name }) => {
    if (!SURROUNDINGS.has(name) && !(keepsMoments && MOMENTS.has(name))) return undefined;
    onFrozen();
    return 'unreported';
  };
}
