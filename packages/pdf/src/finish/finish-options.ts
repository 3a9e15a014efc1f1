/** What a document that is opened with the password of its user may permit. `print` includes `printDraft`. */
export const PERMISSIONS = [
  'print',
  'printDraft',
  'modify',
  'copy',
  'annotate',
  'fillForms',
  'assemble',
] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** How a file relates to the document (ISO 32000-2, table 43). */
export const RELATIONSHIPS = ['Source', 'Data', 'Alternative', 'Supplement', 'Unspecified'] as const;
export type Relationship = (typeof RELATIONSHIPS)[number];

/** Longest password of a new encryption, bytes of UTF-8: readers use no more. */
export const PASSWORD_BYTES_MAX = 127;
