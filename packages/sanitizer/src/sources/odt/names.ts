/**
 * A canonical name without its namespace. LibreOffice accepts several URIs for one vocabulary (those of
 * OpenOffice.org 1, and OASIS URIs with any version number), so rules by URI could be bypassed. No local name needs
 * different rules in two vocabularies.
 */
export function localName(name: string): string {
  return name.slice(Math.max(name.lastIndexOf('}'), name.lastIndexOf(':')) + 1);
}
