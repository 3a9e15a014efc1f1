/**
 * A name as node:crypto gives it, a line for each part from the country down, in the form of RFC 4514: `CN=…,O=…,C=…`. The
 * parts come escaped already.
 */
export function distinguishedName(lines: string): string {
  return lines.split('\n').toReversed().join(',');
}
