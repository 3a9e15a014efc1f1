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

/** A path on another computer, which a reader of the result connects to: `\\server\share`, `//server`. */
const REMOTE_PATH = /^[\\/]{2}/;

/** Whether a link can only be followed, and leads to the web, a mailbox or a place of the same folder. */
export function isSafeLink(address: string): boolean {
  // Readers skip spaces and control characters here, so these must not hide a scheme.
  const text = address.replace(/[^!-~\u00a1-\uffff]+/g, '');
  if (REMOTE_PATH.test(text)) return false;
  const [, scheme] = /^([a-z.][a-z0-9+.-]*):/i.exec(text) ?? [];
  return scheme === undefined || SAFE.has(scheme.toLowerCase());
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
