/** The format, in a refusal. */
export const ODT_NAME = 'an OpenDocument text (ODT)';

/**
 * A canonical name without its namespace. OpenDocument is read by local names: LibreOffice takes several URIs for one
 * vocabulary (those of OpenOffice.org 1, and any version number behind the OASIS ones), so a rule that compared URIs
 * could be passed by; and no two vocabularies share a local name of which one is to be kept and the other not.
 */
export function localName(name: string): string {
  return name.slice(Math.max(name.lastIndexOf('}'), name.lastIndexOf(':')) + 1);
}
