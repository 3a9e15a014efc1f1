import { BOUNDS, boundPassed } from '@scriptorium/ooxml/bounds';
import { isSafeLink } from '@scriptorium/ooxml/package';
import sanitizeHtml from 'sanitize-html';
import { safeDeclarations, safeStyleSheet } from './css.ts';
import type { DropLog } from './drop-log.ts';
import {
  HTML_ACTIVE,
  HTML_ATTRIBUTES,
  HTML_TAGS,
  HTML_UNSHOWN,
  HTML_INLINE as INLINE,
} from './html-rules.ts';
import { LayoutCount } from './layout-count.ts';
import { isTooLarge, readPictureHeader } from './picture.ts';

type Attributes = Record<string, string>;

const PICTURE_KINDS = new Set(['png', 'jpeg', 'gif']);
/** Columns and rows that one cell may span (HTML §4.9.11: 1,000 columns). */
const SPAN_MAX = 1_000;
const TITLE_CHARS_MAX = 1_000;
const NUMBER = /^\d{1,6}$/;

/** Sanitizes one page, counts its elements, and logs removals. */
class HtmlSanitizer {
  readonly #drops: DropLog;
  readonly #part: string;
  #elements = 0;
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
      onOpenTag: (name, attributes) => this.#count(name, attributes),
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

  /** Checks the bounds first, when the parser has read only the tag. */
  #count(name: string, attributes: Attributes): void {
    if (++this.#elements > BOUNDS.htmlElementsMax) throw boundPassed('htmlElementsMax');
    if (this.#open.push(name) > BOUNDS.depthMax) throw boundPassed('depthMax');
    if (Object.keys(attributes).length > BOUNDS.attributesMax) throw boundPassed('attributesMax');
    if (name === 'table' && this.#open.filter((open) => open === 'table').length > BOUNDS.nestedTablesMax)
      throw boundPassed('nestedTablesMax');
    if (INLINE.has(name)) this.#layout.addPiece();
    else this.#layout.restartParagraph();
    if (name === 'table') this.#layout.openTable();
    if (name === 'tr') this.#layout.addRows();
    if (HTML_ACTIVE.has(name)) this.#drops.add('active content', this.#part, describe(name, attributes));
    if (name === 'svg') this.#drops.add('SVG image', this.#part);
    if (name === 'form' && attributes.action) this.#drops.add('form action', this.#part, attributes.action);
    if (name === 'link' && attributes.href) this.#drops.add('external link', this.#part, attributes.href);
    if (name === 'meta' && /refresh/i.test(attributes['http-equiv'] ?? ''))
      this.#drops.add('active content', this.#part, describe('meta refresh', attributes));
  }

  #vet(tag: string, attributes: Attributes): Attributes {
    const vetted = { ...attributes };
    for (const name of Object.keys(vetted)) {
      if (!name.startsWith('on')) continue;
      this.#drops.add('active content', this.#part, `${tag} ${name}`);
      delete vetted[name];
    }
    if (vetted.style !== undefined) vetted.style = this.#style(vetted.style);
    if (tag === 'a') this.#vetLink(vetted);
    if (tag === 'img') this.#vetPicture(vetted);
    if (tag === 'td' || tag === 'th') this.#vetCell(vetted);
    return vetted;
  }

  #style(css: string): string {
    return safeDeclarations(css, (text) => this.#drops.add('style', this.#part, text));
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

/**
 * The text of all raw text elements with this name. One without an end goes on to the end of the page. Text that only looks
 * like such an element is checked in the same way.
 */
export function rawElements(html: string, name: string): string[] {
  const found: string[] = [];
  const tags = new RegExp(`<(/?)${name}(?=[\\s/>])`, 'gi');
  let start: number | undefined;
  for (const { index, 1: slash } of html.matchAll(tags)) {
    if (start === undefined && slash === '') {
      const end = html.indexOf('>', index);
      if (end === -1) return found;
      start = end + 1;
    } else if (start !== undefined && slash === '/' && index >= start) {
      found.push(html.slice(start, index));
      start = undefined;
    }
  }
  if (start !== undefined) found.push(html.slice(start));
  return found;
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

/** Filters the markup by an allow list, and the style sheets to plain formatting. Throws SanitizerError. */
export function safePage(html: string, drops: DropLog, part: string): SafePage {
  const sheets = rawElements(html, 'style').join('\n');
  const title = rawElements(html, 'title')[0]?.slice(0, TITLE_CHARS_MAX) ?? '';
  return {
    title: sanitizeHtml(title, { allowedTags: [] }).trim(),
    css: safeStyleSheet(sheets, (text) => drops.add('style', part, text)),
    body: new HtmlSanitizer(drops, part).run(html),
  };
}
