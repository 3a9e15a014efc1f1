import { decodeText, refuseForeignText } from './decode-text.ts';
import { DropLog } from './drop-log.ts';
import { htmlPage, safePage } from './html-sanitizer.ts';
import { pageRule, withLengths } from './paper.ts';
import { refusedAs } from './refusal.ts';
import type { SourceSanitizer } from './source.ts';

const NAME = 'an HTML page';

/** Number of bytes in which HTML searches for a declared encoding (HTML §13.2.3.2). */
const PRESCAN_BYTES = 1024;
const CHARSET = /<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w:.-]{1,40})/i;
const XML_ENCODING = /^\s*<\?xml[^>]{0,100}?encoding\s*=\s*["']([\w:.-]{1,40})["']/i;
const TAG = /<[a-z][a-z0-9]*[\s/>]/i;

/** The encoding that the page declares. It cannot be UTF-16, because the declaration was read as ASCII. */
function declaredEncoding(bytes: Buffer): string | undefined {
  const head = bytes.toString('latin1', 0, PRESCAN_BYTES);
  const label = (CHARSET.exec(head) ?? XML_ENCODING.exec(head))?.[1];
  return label === undefined || /^utf-?16|^ucs|^utf-?32/i.test(label) ? undefined : label;
}

/** Filters HTML pages and fragments by an allow list of tags, attributes and styles. Pictures must be embedded. */
export const htmlSanitizer: SourceSanitizer = {
  async prepare(bytes, { paper }) {
    const html = decodeText(bytes, declaredEncoding(bytes));
    await refuseForeignText(html, bytes, NAME, ['an HTML page', 'an XML file']);
    const isXml = html.trimStart().startsWith('<?xml');
    if (isXml && !/<html[\s>]/i.test(html.slice(0, PRESCAN_BYTES * 4))) throw refusedAs('an XML file', NAME);
    if (!TAG.test(html)) throw refusedAs('plain text', NAME);
    const drops = new DropLog();
    const page = await safePage(html, drops, 'html');
    // Rules of the page itself come later, and win.
    const before = paper === undefined ? '' : `${pageRule(paper)}\n`;
    page.css = before + withLengths(page.css, paper);
    return { bytes: htmlPage(page), engineSource: 'html', dropped: drops.list() };
  },
};
