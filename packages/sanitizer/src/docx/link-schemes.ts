/** Schemes with which LibreOffice, or a reader of the result, runs something or reads something else. */
const ACTIVE = /^(?:vnd\.|\.uno|macro|script|javascript|vbscript|data|private|slot|service|hid|daap)/;

/**
 * Whether a link can only be followed and runs nothing. Schemes of other programs (`onenote:`, `consultantplus:`) are
 * allowed: they are ordinary links for those programs.
 */
export function isPlainLink(address: string): boolean {
  // Readers skip spaces and control characters here, so these must not hide a scheme.
  const text = address.replace(/[^!-~\u00a1-\uffff]+/g, '');
  const scheme = /^[a-z.][a-z0-9+.-]*:/i.exec(text)?.[0].toLowerCase();
  return scheme === undefined || !ACTIVE.test(scheme);
}
