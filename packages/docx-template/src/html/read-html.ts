import { FORBIDDEN_CHARACTERS } from '@scriptorium/ooxml/xml';
import { Parser } from 'htmlparser2';
import { isDataUri } from '../drawing/data-uri.ts';
import { LEVELS } from '../numbering/levels.ts';
import type { HtmlLoss } from '../package-editor.ts';
import type {
  Alignment,
  Block,
  CellBlock,
  Format,
  Inline,
  List,
  ParagraphBlock,
  TableBlock,
} from './blocks.ts';
import {
  alignmentOf,
  backgroundOf,
  colorOf,
  declarationsOf,
  FORMATS,
  formatOf,
  markerOf,
  pixelsOf,
  sizeOf,
  spanOf,
} from './css.ts';
import { isLinkAddress } from './link.ts';
import { HtmlRefusal, shownMarkup } from './shown-markup.ts';

const ELEMENTS_MAX = 20_000;
/** Open elements, and among them those that are not only formats. */
const OPEN_MAX = 256;
const BLOCKS_OPEN_MAX = 64;
const TABLES_OPEN_MAX = 10;
const QUOTES_MAX = 6;

type Attributes = Readonly<Record<string, string>>;

/** What an element sets for its content. */
interface State {
  format: Format;
  align: Alignment | undefined;
  heading: number;
  list: List | undefined;
  quotes: number;
  /** White space is kept. */
  isPreformatted: boolean;
  /** Where paragraphs go. */
  blocks: Block[];
  table: TableBlock | undefined;
  tables: number;
  /** Number of open elements that are not only formats. */
  depth: number;
}

/** Elements that begin and end a paragraph. */
const BLOCK =
  /^(?:html|body|p|div|h[1-6]|ul|ol|menu|li|table|caption|thead|tbody|tfoot|tr|t[dh]|blockquote|pre|section|article|header|footer|aside|main|nav|figure|figcaption|address|center|form|fieldset|details|summary|hr|dl|dt|dd)$/;
/** The sizes of `<font>`. */
const FONT_SIZES = ['10px', '13px', '16px', '18px', '24px', '32px', '48px'];
const TABLE_PART = /^(?:table|t[hrd]|tbody|thead|tfoot)$/;
const FORBIDDEN = new RegExp(`[${FORBIDDEN_CHARACTERS}]`, 'g');
const SPACE = /[ \t\r\n\f]+/g;

/**
 * The paragraphs, tables and pictures of an HTML text, by an allow list. Other elements lose their tags and keep their text;
 * scripts and styles vanish. Nothing is loaded or run. Throws HtmlRefusal.
 */
export function readHtml(html: string): { blocks: Block[]; lost: ReadonlySet<HtmlLoss> } {
  const reader = new HtmlReader();
  const markup = shownMarkup(html, reader.lost);
  const parser = new Parser({
    onopentag: (name, attributes) => reader.open(name, attributes),
    onclosetag: () => reader.close(),
    ontext: (text) => reader.text(text),
  });
  parser.write(markup);
  parser.end();
  return { blocks: reader.end(), lost: reader.lost };
}

class HtmlReader {
  readonly lost = new Set<HtmlLoss>();
  readonly #root: Block[] = [];
  readonly #outer: { state: State; name: string }[] = [];
  #state: State = {
    format: {},
    align: undefined,
    heading: 0,
    list: undefined,
    quotes: 0,
    isPreformatted: false,
    blocks: this.#root,
    table: undefined,
    tables: 0,
    depth: 0,
  };
  #paragraph: ParagraphBlock | undefined;
  /** An item of a list has begun, but not its first paragraph. */
  #isItemNew = false;
  /** The open paragraph is empty, or ends with white space. Looking at its text would be slow. */
  #isAtSpace = true;
  #elements = 0;

  open(name: string, attributes: Attributes): void {
    if (++this.#elements > ELEMENTS_MAX)
      throw new HtmlRefusal(`has more than ${ELEMENTS_MAX.toLocaleString('en-US')} elements`);
    if (this.#outer.push({ state: this.#state, name }) > OPEN_MAX)
      throw new HtmlRefusal(`has more than ${OPEN_MAX} elements inside each other`);
    this.#state = { ...this.#state };
    if (BLOCK.test(name)) this.#openBlock(name, attributes);
    this.#look(name, attributes);
    if (name === 'br') this.#break();
    if (name === 'img') this.#picture(attributes);
  }

  close(): void {
    const left = this.#outer.pop();
    if (left === undefined) return;
    const { state, name } = left;
    if (BLOCK.test(name)) this.#closeBlock(name);
    this.#state = state;
  }

  text(source: string): void {
    if (source === '') return;
    const text = source.replace(FORBIDDEN, '');
    if (this.#state.isPreformatted) {
      const lines = text.replace(/\r\n?/g, '\n');
      // The line feed after the tag is not part of the text.
      this.#addText(this.#paragraph === undefined && lines.startsWith('\n') ? lines.slice(1) : lines);
      return;
    }
    const spaced = text.replace(SPACE, ' ');
    const isStart = this.#paragraph === undefined || this.#isAtSpace;
    this.#addText(isStart && spaced.startsWith(' ') ? spaced.slice(1) : spaced);
  }

  end(): Block[] {
    this.#endParagraph();
    return this.#root;
  }

  #openBlock(name: string, attributes: Attributes): void {
    this.#endParagraph();
    const state = this.#state;
    if (++state.depth > BLOCKS_OPEN_MAX)
      throw new HtmlRefusal(`has more than ${BLOCKS_OPEN_MAX} blocks inside each other`);
    const heading = /^h([1-6])$/.exec(name)?.[1];
    if (heading !== undefined) state.heading = Number(heading);
    if (name === 'ul' || name === 'ol' || name === 'menu') state.list = this.#openList(name, attributes);
    if (name === 'li') {
      state.list ??= { isOrdered: false, start: 1, level: 0 };
      this.#isItemNew = true;
    }
    if (name === 'blockquote' || name === 'dd') state.quotes = Math.min(state.quotes + 1, QUOTES_MAX);
    if (name === 'center') state.align = 'center';
    if (name === 'pre') state.isPreformatted = true;
    if (name === 'hr') this.#begin().isRule = true;
    this.#openTable(name, attributes);
  }

  #openTable(name: string, attributes: Attributes): void {
    const state = this.#state;
    if (name === 'table') {
      state.table = { type: 'table', rows: [] };
      if (++state.tables > TABLES_OPEN_MAX)
        throw new HtmlRefusal(`has more than ${TABLES_OPEN_MAX} tables inside each other`);
      return;
    }
    if (state.table === undefined) return;
    if (name === 'tr') state.table.rows.push([]);
    if (name !== 'td' && name !== 'th') return;
    if (state.table.rows.length === 0) state.table.rows.push([]);
    const background = backgroundOf(declarationsOf(attributes.style)) ?? colorOf(attributes.bgcolor);
    const cell: CellBlock = {
      isHeader: name === 'th',
      columns: spanOf(attributes.colspan),
      rows: spanOf(attributes.rowspan),
      blocks: [],
      ...(background !== undefined && { background }),
    };
    state.table.rows.at(-1)?.push(cell);
    Object.assign(state, { blocks: cell.blocks, table: undefined, list: undefined, quotes: 0, heading: 0 });
  }

  #closeBlock(name: string): void {
    // An empty item has a marker too.
    if (name === 'li' && this.#isItemNew) this.#begin();
    this.#endParagraph();
    const { table, blocks } = this.#state;
    if (name !== 'table' || table === undefined) return;
    const rows = table.rows.filter(({ length }) => length > 0);
    if (rows.length > 0) blocks.push({ type: 'table', rows });
  }

  #openList(name: string, { start, style, type }: Attributes): List {
    const level = Math.min((this.#state.list?.level ?? -1) + 1, LEVELS - 1);
    const first = /^\s*(\d{1,9})\s*$/.exec(start ?? '')?.[1] ?? '1';
    const isOrdered = name === 'ol';
    const marker = markerOf(style, type, isOrdered);
    return { isOrdered, start: Number(first), level, ...(marker !== undefined && { marker }) };
  }

  /** Formats and alignment that an element sets by its name or its attributes. */
  #look(name: string, attributes: Attributes): void {
    const declarations = declarationsOf(attributes.style);
    const own = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
    const color = name === 'font' ? colorOf(attributes.color) : undefined;
    const size = name === 'font' ? sizeOf(FONT_SIZES[Number(attributes.size) - 1]) : undefined;
    const href = name === 'a' ? attributes.href?.trim() : undefined;
    const format: Format = {
      ...own,
      ...(color !== undefined && { color }),
      ...(href !== undefined && isLinkAddress(href) && { href }),
      ...(size !== undefined && { size }),
      ...formatOf(declarations),
    };
    // The background of a table is not that of its text.
    if (TABLE_PART.test(name)) delete format.background;
    if (href && !isLinkAddress(href)) this.lost.add('links');
    const state = this.#state;
    if (Object.keys(format).length > 0) state.format = { ...state.format, ...format };
    if (BLOCK.test(name) && name !== 'table')
      state.align =
        alignmentOf(declarations.get('text-align')) ?? alignmentOf(attributes.align) ?? state.align;
  }

  #break(): void {
    this.#begin();
    this.#addText('\n');
  }

  #picture({ src = '', alt = '', width, height }: Attributes): void {
    const uri = src.trim();
    const { format } = this.#state;
    if (!isDataUri(uri)) {
      if (uri !== '') this.lost.add('pictures');
      this.text(alt);
      return;
    }
    const [across, down] = [pixelsOf(width), pixelsOf(height)];
    this.#begin().inlines.push({
      type: 'picture',
      uri,
      ...(across !== undefined && { width: across }),
      ...(down !== undefined && { height: down }),
      alt: alt.replace(FORBIDDEN, ''),
      format,
    });
    this.#isAtSpace = false;
  }

  #addText(text: string): void {
    if (text === '') return;
    const { format } = this.#state;
    const { inlines } = this.#begin();
    const last = inlines.at(-1);
    if (last?.type === 'text' && last.format === format) last.text += text;
    else inlines.push({ type: 'text', text, format });
    const end = text.at(-1);
    this.#isAtSpace = end === ' ' || end === '\n';
  }

  /** The open paragraph. */
  #begin(): ParagraphBlock {
    if (this.#paragraph !== undefined) return this.#paragraph;
    const { align, heading, list, quotes, blocks } = this.#state;
    const own = { ...(align !== undefined && { align }), ...(list !== undefined && { list }) };
    const hasMarker = list !== undefined && this.#isItemNew;
    this.#paragraph = { type: 'paragraph', inlines: [], heading, quotes, ...own, hasMarker, isRule: false };
    this.#isItemNew = false;
    this.#isAtSpace = true;
    blocks.push(this.#paragraph);
    return this.#paragraph;
  }

  #endParagraph(): void {
    const { inlines } = this.#paragraph ?? { inlines: [] as Inline[] };
    this.#paragraph = undefined;
    // The last line break of a paragraph is not visible.
    const last = inlines.at(-1);
    if (last?.type !== 'text') return;
    if (/[ \n]/.test(last.text.slice(-1))) last.text = last.text.slice(0, -1);
    if (last.text === '') inlines.pop();
  }
}
