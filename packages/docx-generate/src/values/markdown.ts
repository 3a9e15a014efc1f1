import { valueText } from '@scriptorium/docx-template/fields';
import type MarkdownIt from 'markdown-it';
import { z } from 'zod';
import { renderHtml } from './html.ts';
import { valueKind } from './value-kind.ts';

/** CommonMark with tables and strikethrough. HTML inside is displayed as text. Loaded when a document needs it. */
async function loadMarkdown(): Promise<InstanceType<typeof MarkdownIt>> {
  const { default: Markdown } = await import('markdown-it');
  const markdown = new Markdown({ html: false, linkify: false, typographer: false });
  // `renderHtml` decides which addresses are links and pictures.
  markdown.validateLink = () => true;
  return markdown;
}

/** `{"$markdown": "…"}`. */
export const markdownKind = valueKind({
  key: '$markdown',
  requested: z.string('must be a text').pipe(valueText),
  render(text, spot, context, path) {
    const markdown = context.resources.get('markdown', loadMarkdown);
    return markdown && renderHtml(markdown.render(text), spot, context, path);
  },
});
