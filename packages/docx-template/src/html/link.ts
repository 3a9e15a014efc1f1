import { escapeXml, FORBIDDEN_CHARACTER } from '@scriptorium/ooxml/xml';
import type { PackageEditor } from '../package-editor.ts';
import type { Story } from '../template/story.ts';
import { documentStyles } from './document-styles.ts';

/** The color of links in Word's default theme. */
export const LINK_COLOR = '0563C1';
const ADDRESS = /^(?:https?:\/\/|mailto:|tel:)[^\s<>"]+$/i;
/** Word does not open documents with longer hyperlinks. */
const ADDRESS_CHARS_MAX = 2_000;
/** ECMA-376-1 §17.16.5.25: names of bookmarks have at most 40 characters. */
const BOOKMARK = /^#[^\s"#]{1,40}$/u;

/**
 * Whether a hyperlink may lead there. Everything else could run something, or leads into the reader's computer.
 *
 * @example
 * isLinkAddress('mailto:ada@example.org') // true
 * isLinkAddress('javascript:alert(1)') // false
 */
export function isLinkAddress(href: string): boolean {
  if (href.length > ADDRESS_CHARS_MAX || FORBIDDEN_CHARACTER.test(href)) return false;
  return ADDRESS.test(href) || BOOKMARK.test(href);
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
export function linkLook({ dialect: { element } }: Story, editor: PackageEditor): string {
  const { link } = documentStyles(editor.template);
  const looks =
    link === undefined
      ? element('color', { val: LINK_COLOR }) + element('u', { val: 'single' })
      : element('rStyle', { val: link });
  return element('rPr', {}, looks);
}
