/** What the password of a document permits; everything in a document that is not encrypted. */
export interface DocumentRights {
  /** Signing a signature field that exists. */
  signField: boolean;
  /** Adding a signature field. */
  addField: boolean;
  /** Other changes, such as pages, attachments and certifications. */
  modify: boolean;
}

export const ALL_RIGHTS: DocumentRights = { signField: true, addField: true, modify: true };

/** Bits of /P, from 1 (ISO 32000-2, table 22). */
const BITS = { modify: 4, annotate: 6, fillForms: 9 };

/** Returns the rights by /P; those of revision 2 have no bits above 6. The owner has all rights. */
export function rightsOf(opened: {
  permissions: number;
  revision: number;
  isOwner: boolean;
}): DocumentRights {
  const { permissions, revision, isOwner } = opened;
  if (isOwner) return ALL_RIGHTS;
  const has = (bit: number): boolean => (permissions & (1 << (bit - 1))) !== 0;
  const modify = has(BITS.modify);
  const annotate = has(BITS.annotate);
  const fillForms = annotate || (revision >= 3 && has(BITS.fillForms));
  return { signField: fillForms, addField: annotate && modify, modify };
}
