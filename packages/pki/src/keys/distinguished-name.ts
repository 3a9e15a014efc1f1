/**
 * A name as node:crypto gives it, a line for each part from the country down, in the form of RFC 4514: `CN=…,O=…,C=…`. The
 * parts come escaped already. One without parts is undefined there, whatever its types say: its owner has other names.
 */
export function distinguishedName(lines: string | undefined): string {
  return (lines ?? '').split('\n').toReversed().join(',');
}
