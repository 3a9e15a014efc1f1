import type { Inspector } from './open-package.ts';
import type { XmlVisitor } from './xml-scan.ts';

/**
 * Schemes that lead to a page, a file, a message or a call. All others start a program with what the document says
 * (`ms-msdt:`, `search-ms:`, `javascript:`), or send the reader's name and password to another computer (`file:`, `smb:`).
 */
const SAFE = new Set([
  ...['http', 'https', 'ftp', 'ftps', 'sftp', 'webcal'],
  ...['mailto', 'tel', 'sms', 'fax', 'sip', 'sips', 'xmpp', 'matrix', 'irc', 'ircs', 'news', 'nntp'],
  ...['urn', 'doi', 'geo', 'consultantplus'],
]);

/** Octets of a URL, however often they were escaped. */
const ESCAPED = /(?:%(?:25)*[\da-f]{2})+/gi;
const OCTET = /%(?:25)*([\da-f]{2})/gi;
/** Readers skip these at the start, or everywhere, so they must not hide a scheme or a slash. */
const IGNORED = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]+/gu;
const FULL_WIDTH = /[\uff01-\uff5e]/g;
const FULL_WIDTH_OFFSET = 0xfee0;

/** The address as the reader may see it who skips and decodes most. */
const plainest = (address: string): string =>
  address
    .replace(ESCAPED, (run) =>
      Buffer.from([...run.matchAll(OCTET)].map(([, hex]) => hex).join(''), 'hex').toString(),
    )
    .replace(IGNORED, '')
    .replace(FULL_WIDTH, (letter) => String.fromCharCode(letter.charCodeAt(0) - FULL_WIDTH_OFFSET));

/**
 * Whether a link can only be followed. It leads to the web, a mailbox, a place of the document, or a file in its folder or below.
 * All other paths are unsafe: of a drive, from the root, out of the folder, on another computer, by a variable.
 *
 * @example
 * isSafeLink('https://example.org') // true
 * isSafeLink('annex.pdf') // true
 * isSafeLink('file:///etc/passwd') // false
 */
export function isSafeLink(address: string): boolean {
  const text = plainest(address);
  // `C|` is a drive, too. A name of a workbook's sheet may stand before the colon of a range.
  const [, scheme] = /^([^\\/?#!:|]*)[:|]/.exec(text) ?? [];
  if (scheme !== undefined) return SAFE.has(scheme.toLowerCase());
  return !/^[\\/%]/.test(text) && !leavesFolder(text);
}

/** The same for an OpenDocument, whose links begin in the document as in a folder (ODF 1.3 part 2, 3.7). */
export const isSafeInOpenDocument = (address: string): boolean =>
  isSafeLink(address.replace(/^\s*\.\.\//, ''));

function leavesFolder(address: string): boolean {
  const [path = ''] = address.split(/[?#]/, 1);
  let depth = 0;
  for (const name of path.split(/[\\/]/)) {
    if (name !== '' && name !== '.') depth += name === '..' ? -1 : 1;
    if (depth < 0) return true;
  }
  return false;
}

/** What names a hyperlink by the id of its relationship. */
const LINKS = ['w:hyperlink', 'a:hlinkClick', 'a:hlinkHover', 'a:hlinkMouseOver'];

/** Removes hyperlinks that are not safe. Their text stays. */
export function safeLinks(): Inspector {
  /** Ids of removed relationships, by the name of their part. */
  const removed = new Map<string, Set<string>>();
  return {
    keepsRelationship({ id, kind, isExternal, part, target }, source, dropped) {
      if (kind !== 'hyperlink' || (!isExternal && part !== undefined) || isSafeLink(target)) return true;
      const name = source?.name ?? '';
      dropped.push({ what: 'unsafe link', part: name, detail: target });
      const ids = removed.get(name) ?? new Set();
      removed.set(name, ids.add(id));
      return false;
    },
    visit(part) {
      const ids = removed.get(part.name);
      if (ids === undefined) return undefined;
      const open: NonNullable<XmlVisitor[string]>['open'] = (tag) => {
        for (const { name, value, start, end } of tag.attributes)
          if (name === 'r:id' && ids.has(value))
            part.edits.push({ start: tag.start + start, end: tag.start + end, text: '' });
      };
      return Object.fromEntries(LINKS.map((name) => [name, { open }]));
    },
  };
}
