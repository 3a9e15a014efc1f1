import { escapeXml, FORBIDDEN_CHARACTER } from '@scriptorium/ooxml/xml';
import { z } from 'zod';
import { linesOf, run } from '../fields/text.ts';
import { documentStyles } from '../html/document-styles.ts';
import type { PackageEditor } from '../package-editor.ts';
import type { Dialect } from '../template/dialect.ts';
import type { Story } from '../template/story.ts';
import type { Template } from '../template/template.ts';
import { valueText, xmlText } from '../xml-text.ts';
import { type RenderContext, type Replacement, type ValueSpot, valueKind } from './value-kind.ts';

/** The color of links in Word's default theme. */
export const LINK_COLOR = '0563C1';
const ADDRESS = /^(?:https?:\/\/|mailto:|tel:)[^\s<>"]+$/i;
/** Word does not open documents with longer hyperlinks. */
const ADDRESS_CHARS_MAX = 2_000;
/** ECMA-376-1 §17.16.5.25: names of bookmarks have at most 40 characters. */
const BOOKMARK = /^#[^\s"#]{1,40}$/u;
const ADDRESS_ISSUE = 'must be an http, https, mailto or tel address, or `#` and the name of a bookmark';

const address = xmlText.refine(isLinkAddress, ADDRESS_ISSUE);

/** `{"$link": {text?, href}}`. Without a text, the address is displayed. */
export const linkKind = valueKind({
  key: '$link',
  requested: z.strictObject(
    { href: address, text: valueText.nullish(), tooltip: xmlText.nullish() },
    'must be an object with an `href`',
  ),
  render: ({ href, text, tooltip }, spot, context) =>
    linkTo({ href, text: text || href, tooltip: tooltip ?? undefined }, spot, context),
});

/** Whether a hyperlink may lead there. Everything else could run something, or leads into the reader's computer. */
export function isLinkAddress(href: string): boolean {
  if (href.length > ADDRESS_CHARS_MAX || FORBIDDEN_CHARACTER.test(href)) return false;
  return ADDRESS.test(href) || BOOKMARK.test(href);
}

function linkTo(
  { href, text, tooltip }: { href: string; text: string; tooltip: string | undefined },
  { story, style, isInLink }: ValueSpot,
  { editor }: RenderContext,
): Replacement {
  editor.reserve(2 * text.length + style.length);
  const shown = (looks: string) => run(linesOf(text), looks, story.dialect);
  if (isInLink) return { runs: shown(style) };
  const look = style === '' ? linkLook(editor.template, story.dialect) : style;
  return { runs: hyperlink(href, shown(look), story, editor, tooltip) };
}

/** `w:hyperlink` around runs. */
export function hyperlink(
  href: string,
  runs: string,
  story: Story,
  editor: PackageEditor,
  tooltip?: string,
): string {
  const { element, namespaces } = story.dialect;
  const names = { ...(href.startsWith('#') && { anchor: href.slice(1) }), ...(tooltip && { tooltip }) };
  const link = element('hyperlink', names, runs);
  if (href.startsWith('#')) return link;
  const id = escapeXml(editor.addLink(story, href));
  // Before the closing bracket of the tag. Values of attributes contain none, because it is escaped.
  return link.replace('>', () => ` xmlns:r="${namespaces.r}" r:id="${id}">`);
}

/** Run properties that show a link as one: the document's own style for links, else blue and underlined. */
function linkLook(template: Template, { element }: Dialect): string {
  const { link } = documentStyles(template);
  const looks =
    link === undefined
      ? element('color', { val: LINK_COLOR }) + element('u', { val: 'single' })
      : element('rStyle', { val: link });
  return element('rPr', {}, looks);
}
