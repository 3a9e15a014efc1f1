import { escapeXml } from '@scriptorium/ooxml/xml';
import { HTML_INLINE, HTML_TAGS, HTML_UNSHOWN } from '../html-rules.ts';
import type { Cascade, Styles } from './cascade.ts';
import { quoteOf, textOfContent } from './content.ts';
import { linesOfControl } from './controls.ts';
import { Counters } from './counters.ts';
import { isCut, type Look, lookOf, PLAIN_LOOK, pixelsOf } from './look.ts';
import { type List, listOf, markerOf } from './markers.ts';
import type { OnOmitted } from './style-sheet.ts';
import { IMPLIED, type PageElement } from './tree.ts';

const TAGS = new Set(HTML_TAGS);
const UNSHOWN = new Set(HTML_UNSHOWN);
/** Elements that LibreOffice does not know. */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ...['form', 'fieldset', 'legend', 'dialog', 'hgroup', 'search'].map((name) => [name, 'div'] as const),
  ...['label', 'button', 'output', 'data'].map((name) => [name, 'span'] as const),
  ...(['menu', 'dir'] as const).map((name) => [name, 'ul'] as const),
  ['xmp', 'pre'],
]);
const VOID = /^(?:br|hr|img|col|wbr)$/;
/** Elements whose page break LibreOffice obeys. */
const PARAGRAPH = /^(?:p|h[1-6]|li|table|pre|blockquote|dt|dd|address)$/;
const BREAK = /^(?:always|page|left|right|recto|verso|all)$/;
/** Elements without text of their own. */
const TEXTLESS = /^(?:table|thead|tbody|tfoot|tr|colgroup|col|br|hr|img|wbr|input|select|textarea)$/;
const ATTRIBUTE_NAME = /^[^\0\t\n\f\r /<=>"']+$/;
/** Signs of Unicode: text from the right, from the left, and the end of either. */
const [FROM_RIGHT, FROM_LEFT, END] = ['\u202e', '\u202d', '\u202c'];

/** Markup, or what draws a picture and returns its tag. */
export type Piece = string | ((draw: Draw) => Promise<string>);

/** A picture instead of an element. Undefined for none. */
export type Draw = (
  element: PageElement,
) => Promise<{ src: string; width: number; height: number } | undefined>;

/** Children of a table in the order of the page: its header first, and its footer last (CSS 2.2 §17.2). */
function shownChildren({ name, children }: PageElement): PageElement['children'] {
  if (name !== 'table') return children;
  const [head, foot] = ['thead', 'tfoot'].map((part) =>
    children.find((child) => typeof child !== 'string' && child.name === part),
  );
  const rank = (child: PageElement | string) => {
    if (typeof child === 'string' || /^(?:caption|col|colgroup)$/.test(child.name)) return 0;
    if (child === head) return 1;
    return child === foot ? 3 : 2;
  };
  return children.toSorted((one, other) => rank(one) - rank(other));
}

/** Writes the markup of a page anew: without what is hidden, and with what style sheets and controls show as text. */
export class PageWriter {
  readonly #out: Piece[] = [];
  readonly #cascade: Cascade;
  readonly #onOmitted: OnOmitted;
  readonly #counters = new Counters();
  readonly #scopes: Set<string>[] = [];
  #hasText = false;
  #isBreakDue = false;
  /** The marker that the next text gets. */
  #marker = '';

  constructor(cascade: Cascade, onOmitted: OnOmitted) {
    this.#cascade = cascade;
    this.#onOmitted = onOmitted;
  }

  write(root: PageElement): readonly Piece[] {
    this.#children(root, PLAIN_LOOK, undefined);
    return this.#out;
  }

  #children(element: PageElement, look: Look, list: List | undefined): void {
    const isContainer = !PARAGRAPH.test(element.name) && !HTML_INLINE.has(element.name);
    const scope = new Set<string>();
    this.#scopes.push(scope);
    let isWrapped = false;
    for (const child of shownChildren(element)) {
      const isText = typeof child === 'string';
      const isInline = isText || HTML_INLINE.has(child.name);
      if (isWrapped && !isInline) this.#out.push('</p>');
      isWrapped &&= isInline;
      const isFull = isText ? child.trim() !== '' : child.isFull;
      if (this.#isBreakDue && isContainer && isInline && isFull && !look.isInTable) {
        this.#out.push('<p style="page-break-before: always; margin: 0">');
        this.#isBreakDue = false;
        isWrapped = true;
      }
      if (isText) this.#text(child, look);
      else this.#element(child, look, list);
    }
    if (isWrapped) this.#out.push('</p>');
    this.#scopes.pop();
    this.#counters.close(scope);
  }

  #text(text: string, look: Look): void {
    if (look.isInvisible || look.isFaded || look.isTransparent || look.hasNoSize || text === '') return;
    const isFull = text.trim() !== '';
    this.#out.push(isFull ? escapeXml(this.#marker) : '', escapeXml(text));
    if (isFull) this.#marker = '';
    this.#hasText ||= isFull;
  }

  #element(element: PageElement, outer: Look, list: List | undefined): void {
    const styles = this.#cascade.stylesOf(element);
    if (isCut(element, styles)) return;
    const look = lookOf(element, styles, outer);
    this.#counters.apply(styles, this.#scopes.at(-1) ?? new Set());
    if (/^col/.test(element.name) && styles.get('visibility') === 'collapse')
      this.#onOmitted('visibility: collapse');
    const isBreak = (side: string) =>
      BREAK.test(styles.get(`break-${side}`) ?? '') && this.#isBreakable(side, outer);
    if (isBreak('before')) this.#isBreakDue = this.#hasText;
    if (element.name === 'svg' || isSvgPicture(element)) this.#picture(element, styles, look);
    else if (!UNSHOWN.has(element.name) || element.name === 'xmp' || element.name === 'textarea')
      this.#shown(element, styles, look, list);
    if (isBreak('after')) this.#isBreakDue = this.#hasText;
  }

  #isBreakable(side: string, { isInTable }: Look): boolean {
    if (isInTable) this.#onOmitted(`break-${side} in a table`);
    return !isInTable;
  }

  #shown(element: PageElement, styles: Styles, look: Look, outerList: List | undefined): void {
    const { name } = element;
    const lines = linesOfControl(element);
    if (lines !== undefined) {
      this.#lines(lines, look);
      return;
    }
    if (name === 'img' && (look.isInvisible || look.isFaded)) return;
    const isList = /^(?:ul|ol|menu|dir)$/.test(name);
    const list = isList ? listOf(element, styles) : outerList;
    const marker =
      name === 'li' && list !== undefined ? markerOf(element, styles, list, this.#onOmitted) : undefined;
    const isBare = isList && list?.type === 'none' && pixelsOf(styles.get('padding-left')) === 0;
    const tag = marker?.text !== undefined || isBare ? 'div' : (RENAMED.get(name) ?? name);
    const isWritten = TAGS.has(tag) && element.attributes !== IMPLIED;
    const number = marker?.text === undefined && list?.isNumbered ? marker?.number : undefined;
    if (isWritten) this.#open(tag, element, styles, look, number);
    if (marker?.text !== undefined) this.#marker = marker.text;
    if (name === 'img') this.#hasText = true;
    if (name === 'button') this.#text(' ', look);
    if (name === 'bdo') this.#out.push(element.attributes.dir === 'rtl' ? FROM_RIGHT : FROM_LEFT);
    this.#pseudo(element, look, 'before');
    this.#children(element, look, name === 'li' ? undefined : list);
    this.#pseudo(element, look, 'after');
    if (name === 'bdo') this.#out.push(END);
    if (name === 'button') this.#text(' ', look);
    if (marker !== undefined) this.#marker = '';
    if (isWritten && !VOID.test(tag)) this.#out.push(`</${tag}>`);
  }

  #open(
    tag: string,
    { attributes }: PageElement,
    styles: Styles,
    look: Look,
    value: number | undefined,
  ): void {
    const own: Record<string, string> = { ...attributes };
    if (value !== undefined) own.value = `${value}`;
    if (look.isInvisible || look.isFaded) delete own.bgcolor;
    const hasBackground = styles.has('background-color') || attributes.bgcolor !== undefined;
    if (tag === 'table' && look.background !== undefined && !hasBackground)
      own.style = `${own.style ?? ''}; background-color: ${look.background}`;
    const isBroken = this.#isBreakDue && PARAGRAPH.test(tag) && !(look.isInTable && tag !== 'table');
    if (isBroken) this.#isBreakDue = false;
    if (
      isBroken ||
      BREAK.test(styles.get('break-before') ?? '') ||
      BREAK.test(styles.get('break-after') ?? '')
    )
      own.style = `${own.style ?? ''}; page-break-after: auto; page-break-before: ${isBroken ? 'always' : 'auto'}`;
    this.#out.push(`<${tag}`);
    for (const [name, text] of Object.entries(own))
      if (ATTRIBUTE_NAME.test(name)) this.#out.push(` ${name}="${escapeXml(text)}"`);
    this.#out.push('>');
  }

  #lines(lines: readonly string[], look: Look): void {
    for (const [at, line] of lines.entries()) {
      if (at > 0) this.#out.push('<br>');
      this.#text(` ${line} `, look);
    }
  }

  #pseudo(element: PageElement, look: Look, side: 'before' | 'after'): void {
    const styles = this.#cascade.stylesOf(element, side);
    const content = styles.get('content');
    if (content === undefined) {
      if (element.name === 'q') this.#text(quoteOf(look, side === 'after'), look);
      return;
    }
    if (isCut(element, styles)) return;
    this.#counters.apply(styles, this.#scopes.at(-1) ?? new Set());
    const text = textOfContent(content, element, look, this.#counters, this.#onOmitted);
    const display = styles.get('display') ?? 'inline';
    const isBlock = !display.startsWith('inline');
    if (text === '' || (isBlock && text.trim() === '')) return;
    if (TEXTLESS.test(element.name)) {
      this.#onOmitted(`content: ${content}`);
      return;
    }
    if (isBlock && side === 'after') this.#out.push('<br>');
    this.#out.push(`<span style="${escapeXml(this.#cascade.lookOf(element, side))}">`);
    this.#text(text.replaceAll('\n', ' '), lookOf(element, styles, look));
    this.#out.push('</span>', isBlock && side === 'before' ? '<br>' : '');
  }

  #picture(element: PageElement, styles: Styles, look: Look): void {
    if (look.isInvisible || look.isFaded) return;
    this.#hasText = true;
    const sizeOf = (side: 'width' | 'height') => {
      const pixels = pixelsOf(styles.get(side) ?? element.attributes[side]);
      return pixels > 0 ? Math.round(pixels) : undefined;
    };
    const [width, height] = [sizeOf('width'), sizeOf('height')];
    this.#out.push(async (draw) => {
      const size: Record<string, string> = width && height ? { width: `${width}`, height: `${height}` } : {};
      const picture = await draw({ ...element, attributes: { ...element.attributes, ...size } });
      if (picture === undefined) return escapeXml(element.attributes.alt ?? '');
      const scale = width === undefined ? (height ?? picture.height) / picture.height : width / picture.width;
      const [across, down] = [width ?? picture.width * scale, height ?? picture.height * scale];
      return `<img src="${picture.src}" width="${Math.round(across)}" height="${Math.round(down)}" alt="${escapeXml(element.attributes.alt ?? '')}">`;
    });
  }
}

const SVG_URI = /^\s*data:image\/svg\+xml[;,]/i;
const isSvgPicture = ({ name, attributes }: PageElement): boolean =>
  name === 'img' && SVG_URI.test(attributes.src ?? '');
