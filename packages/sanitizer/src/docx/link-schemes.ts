/** Schemes that make LibreOffice or a reader of the result run something, or read something else in their place. */
const ACTIVE = /^(?:vnd\.|\.uno|macro|script|javascript|vbscript|data|private|slot|service|hid|daap)/;

/**
 * Whether a link is one that is only followed, and runs nothing. Schemes of other programs (`onenote:`,
 * `consultantplus:`) are let pass: they are ordinary links where they are known.
 */
export function isPlainLink(address: string): boolean {
  // Readers skip blanks and control characters here, so they must not hide a scheme.
  const text = address.replace(/[^!-~\u00a1-\uffff]+/g, '');
  const scheme = /^[a-z.][a-z0-9+.-]*:/i.exec(text)?.[0].toLowerCase();
  return scheme === undefined || !ACTIVE.test(scheme);
}
