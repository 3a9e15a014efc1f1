/** Schemes of links that a reader of a document may follow. Without a scheme, a link leads into the document or beside it. */
const SCHEMES = new Set([
  'http',
  'https',
  'mailto',
  'ftp',
  'ftps',
  'file',
  'tel',
  'sms',
  'news',
  'onenote',
  'ms-word',
  'skype',
]);

/** Whether a link is one that is only followed, and runs nothing: `vnd.sun.star.script:`, `macro:`, `.uno:` do. */
export function isPlainLink(address: string): boolean {
  // Readers skip blanks and control characters here, so they must not hide a scheme.
  const text = [...address].filter((char) => char > ' ' && char !== '\u007f' && char !== '\u00a0').join('');
  if (text.startsWith('.') && text.includes(':') && !/^\.{1,2}[/\\]/.test(text)) return false;
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase();
  // One letter is a drive of Windows.
  return scheme === undefined || scheme.length === 1 || SCHEMES.has(scheme);
}
