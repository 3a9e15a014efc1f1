const LINK = /^(?:https?:\/\/|mailto:|tel:)/i;
const SCHEME = /^\s*[a-z][a-z0-9+.-]*:/i;
/** The address in the code of a field (ECMA-376-1 §17.16.5.25). */
const FIELD_ADDRESS = /^\s*HYPERLINK\s+"([^"]*)"/i;

/** What is wrong with the address of a link that data fill; undefined if it is safe. */
export const linkIssue = (address: string): string | undefined =>
  LINK.test(address)
    ? undefined
    : `must lead to an address that begins with http:, https:, mailto: or tel:, not “${address.slice(0, 100)}”`;

/** The same of the code of a field, which may link to a place in the document. */
export function fieldLinkIssue(code: string): string | undefined {
  const address = FIELD_ADDRESS.exec(code)?.[1];
  return address !== undefined && SCHEME.test(address) ? linkIssue(address) : undefined;
}
