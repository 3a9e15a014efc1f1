import { BOUNDS, boundPassed } from '@scriptorium/ooxml/bounds';
import MarkdownIt, { type Token } from 'markdown-it';
import { decodeText, refuseForeignText } from './decode-text.ts';
import { DropLog } from './drop-log.ts';
import { htmlPage, safePage } from './html-sanitizer.ts';
import { pageRule } from './paper.ts';
import type { SourceSanitizer } from './source.ts';

const NAME = 'a Markdown text';

/** CommonMark with tables and strikethrough. HTML inside is displayed as text. */
const MARKDOWN = new MarkdownIt({ html: false, linkify: false, typographer: false });

// Writer takes cell borders only from the table's attribute.
MARKDOWN.renderer.rules.table_open = () => '<table border="1" cellpadding="4" cellspacing="0">\n';

const STYLE = `body { font-family: "Liberation Sans", sans-serif; font-size: 11pt; line-height: 130% }
p, li, td, th { font-family: "Liberation Sans", sans-serif; font-size: 11pt }
h1, h2, h3, h4, h5, h6 { font-family: "Liberation Sans", sans-serif; font-weight: bold; page-break-after: avoid }
h1 { font-size: 20pt }
h2 { font-size: 16pt }
h3 { font-size: 13pt }
h4, h5, h6 { font-size: 11pt }
pre, code { font-family: "Liberation Mono", monospace; font-size: 9.5pt }
pre { background-color: #f3f3f3; padding: 0.2cm }
blockquote { margin-left: 0.8cm; color: #444444 }`;

/** Renders a text. Each use of a reference repeats its address: throws DOCUMENT_TOO_COMPLEX if all together are too long. */
function rendered(text: string): string {
  const tokens: Token[] = MARKDOWN.parse(text, {});
  let chars = 0;
  for (const { children } of tokens)
    for (const { attrs } of children ?? [])
      for (const [, value] of attrs ?? []) chars += String(value).length;
  if (chars > BOUNDS.markdownBytesMax) throw boundPassed('markdownBytesMax');
  return MARKDOWN.renderer.render(tokens, MARKDOWN.options, {});
}

/** Converts Markdown to HTML, which is then sanitized like other HTML. */
export const markdownSanitizer: SourceSanitizer = {
  async prepare(bytes, { paper = 'a4' }) {
    if (bytes.length > BOUNDS.markdownBytesMax) throw boundPassed('markdownBytesMax');
    const text = decodeText(bytes);
    await refuseForeignText(text, bytes, NAME);
    const drops = new DropLog();
    const { body } = await safePage(rendered(text), drops, 'markdown');
    return {
      bytes: htmlPage({ body, css: `${pageRule(paper, '2cm')}\n${STYLE}`, title: '' }),
      engineSource: 'html',
      dropped: drops.list(),
    };
  },
};
