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
