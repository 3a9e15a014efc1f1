import { BOUNDS, boundPassed } from '@scriptorium/ooxml/bounds';
import { isSafeLink } from '@scriptorium/ooxml/package';
import { escapeXml } from '@scriptorium/ooxml/xml';
import sanitizeHtml from 'sanitize-html';
import { safeDeclarations, safeRules } from './css.ts';
import type { DropLog } from './drop-log.ts';
import {
  HTML_ACTIVE,
  HTML_ATTRIBUTES,
  HTML_TAGS,
  HTML_UNSHOWN,
  HTML_INLINE as INLINE,
} from './html-rules.ts';
import { LayoutCount } from './layout-count.ts';
import { isOnlyRead } from './page/cascade.ts';
import { shownPage } from './page/shown-page.ts';
import { declarationsOf } from './page/style-sheet.ts';
import { drawerOf } from './page/svg.ts';
import type { PageElement } from './page/tree.ts';
import { isTooLarge, readPictureHeader } from './picture.ts';

type Attributes = Record<string, string>;

const PICTURE_KINDS = new Set(['png', 'jpeg', 'gif']);
/** Columns and rows that one cell may span (HTML §4.9.11: 1,000 columns). */
const SPAN_MAX = 1_000;
const TITLE_CHARS_MAX = 1_000;
const NUMBER = /^\d{1,6}$/;

/** Sanitizes the markup of one page, counts what makes its layout slow, and logs removals. */
class HtmlSanitizer {
  readonly #drops: DropLog;
  readonly #part: string;
  #cells = 0;
  readonly #open: string[] = [];
  readonly #layout = new LayoutCount();

  constructor(drops: DropLog, part: string) {
    this.#drops = drops;
    this.#part = part;
    this.#layout.restartParagraph();
  }

  run(html: string): string {
    return sanitizeHtml(html, {
      allowedTags: HTML_TAGS,
      allowedAttributes: HTML_ATTRIBUTES,
      nonTextTags: HTML_UNSHOWN,
      // This class checks addresses and styles itself.
      allowedSchemesAppliedToAttributes: [],
      parseStyleAttributes: false,
      onOpenTag: (name) => this.#count(name),
      onCloseTag: (name) => {
        this.#open.pop();
        if (name === 'table') this.#layout.closeTable();
      },
      textFilter: (text) => this.#countText(text),
      transformTags: {
        img: (tagName, attribs) => this.#picture(this.#vet(tagName, attribs)),
        '*': (tagName, attribs) => ({
          tagName,
          attribs: tagName === 'img' ? attribs : this.#vet(tagName, attribs),
        }),
      },
    });
  }

  /** Lines of preformatted text are paragraphs. */
  #countText(text: string): string {
    if (text.includes('\n') && this.#open.includes('pre')) this.#layout.restartParagraph();
    else this.#layout.addText(text.length);
    return text;
  }

  /** A removed picture leaves its alternative text. */
  #picture(attribs: Attributes): sanitizeHtml.Tag {
    if (attribs.src !== undefined) return { tagName: 'img', attribs };
    return { tagName: 'span', attribs: {}, text: attribs.alt ?? '' };
  }

  #count(name: string): void {
    this.#open.push(name);
    if (INLINE.has(name)) this.#layout.addPiece();
    else this.#layout.restartParagraph();
    if (name === 'table') this.#layout.openTable();
    if (name === 'tr') this.#layout.addRows();
  }

  #vet(tag: string, attributes: Attributes): Attributes {
    const vetted = { ...attributes };
    if (vetted.style !== undefined) vetted.style = this.#style(vetted.style);
    if (tag === 'a') this.#vetLink(vetted);
    if (tag === 'img') this.#vetPicture(vetted);
    if (tag === 'td' || tag === 'th') this.#vetCell(vetted);
    return vetted;
  }

  #style(css: string): string {
    return safeDeclarations(declarationsOf(css), (text) => this.#drops.add('style', this.#part, text));
  }

  /** The page has no base address, so a relative link would lead into the engine's folder. */
  #vetLink(attributes: Attributes): void {
    const href = attributes.href?.trim();
    if (href === undefined) return;
    const isPlain = isSafeLink(href);
    if (isPlain && (href.startsWith('#') || /^[a-z][a-z0-9+.-]+:/i.test(href))) return;
    this.#drops.add(isPlain ? 'external link' : 'unsafe link', this.#part, href);
    delete attributes.href;
  }

  #vetPicture(attributes: Attributes): void {
    const src = attributes.src ?? '';
    const bytes = dataOf(src);
    const header = bytes === undefined ? undefined : readPictureHeader(bytes);
    if (header !== undefined && isTooLarge(header)) throw boundPassed('imagePixelsMax');
    if (bytes !== undefined && header !== undefined && PICTURE_KINDS.has(header.kind)) {
      attributes.src = `data:image/${header.kind};base64,${bytes.toString('base64')}`;
      return;
    }
    this.#drops.add(bytes === undefined ? 'external link' : 'image', this.#part, src);
    delete attributes.src;
  }

  #vetCell(attributes: Attributes): void {
    let cells = 1;
    for (const name of ['colspan', 'rowspan']) {
      const span = attributes[name]?.trim();
      if (span === undefined) continue;
      if (!NUMBER.test(span)) delete attributes[name];
      else if (Number(span) > SPAN_MAX) throw boundPassed('tableCellsMax');
      else cells *= Math.max(1, Number(span));
    }
    this.#layout.addCells(Math.max(1, Number(attributes.colspan) || 1));
    this.#cells += cells;
    if (this.#cells > BOUNDS.tableCellsMax) throw boundPassed('tableCellsMax');
  }
}

/** Logs what an element would run, fetch or send. */
function report({ name, attributes }: PageElement, drops: DropLog, part: string): void {
  if (HTML_ACTIVE.has(name)) drops.add('active content', part, describe(name, attributes));
  if (name === 'form' && attributes.action) drops.add('form action', part, attributes.action);
  if (name === 'link' && attributes.href) drops.add('external link', part, attributes.href);
  if (name === 'meta' && /refresh/i.test(attributes['http-equiv'] ?? ''))
    drops.add('active content', part, describe('meta refresh', attributes));
  for (const attribute of Object.keys(attributes))
    if (attribute.startsWith('on')) drops.add('active content', part, `${name} ${attribute}`);
}

function describe(name: string, attributes: Attributes): string {
  const address = attributes.src ?? attributes.data ?? attributes.href ?? attributes.content;
  return address ? `${name} ${address}` : name;
}

/** The bytes of a Base64 data URI. Undefined for any other address. */
function dataOf(address: string): Buffer | undefined {
  const comma = address.indexOf(',');
  const head = address.slice(0, Math.min(comma, 100)).trim().toLowerCase();
  if (comma === -1 || !head.startsWith('data:') || !head.endsWith(';base64')) return undefined;
  return Buffer.from(address.slice(comma + 1), 'base64');
}

/** The safe content of a page. All three are markup. */
export interface SafePage {
  title: string;
  css: string;
  body: string;
}

/** A whole page, in UTF-8. */
export function htmlPage({ title, css, body }: SafePage): Buffer {
  const style = css === '' ? '' : `<style>\n${css}\n</style>`;
  const meta = '<meta http-equiv="content-type" content="text/html; charset=utf-8">';
  const head = `<head>${meta}<title>${title}</title>${style}</head>`;
  return Buffer.from(`<!DOCTYPE html>\n<html>${head}\n${body}\n</html>\n`);
}

/** Filters what the page shows by an allow list, and its style sheets to plain formatting. Throws SanitizerError. */
export async function safePage(html: string, drops: DropLog, part: string): Promise<SafePage> {
  const onOmitted = (text: string) => drops.add('style', part, text);
  const { title, rules, pieces } = shownPage(html, (element) => report(element, drops, part), onOmitted);
  const draw = drawerOf(part, () => drops.add('SVG image', part));
  const markup: string[] = [];
  for (const piece of pieces) markup.push(typeof piece === 'string' ? piece : await piece(draw));
  const formats = rules.filter(({ declarations }) => !declarations.every(isOnlyRead));
  return {
    title: escapeXml(title.slice(0, TITLE_CHARS_MAX).trim()),
    css: safeRules(formats, onOmitted),
    body: new HtmlSanitizer(drops, part).run(markup.join('')),
  };
}
