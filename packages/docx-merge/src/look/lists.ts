import {
  applyEdits,
  attributeOf,
  childValue,
  descendantsOf,
  type Edit,
  type XmlNode,
} from '@scriptorium/ooxml/xml';
import { Book } from './book.ts';
import { meaningOf } from './properties.ts';
import { moved } from './style-book.ts';
import { type Theme, themeEdits } from './theme.ts';
import { removal, type Tree, valueEdit } from './tree.ts';

/** The lists of one document. */
export interface ListSheet {
  tree: Tree | undefined;
  definitions: ReadonlyMap<string, XmlNode>;
  lists: ReadonlyMap<string, XmlNode>;
  pictures: ReadonlyMap<string, XmlNode>;
}

const DEFINITION = 'w:abstractNum';
const LIST = 'w:num';
const PICTURE = 'w:numPicBullet';

export function readLists(tree: Tree | undefined): ListSheet {
  const byId = (name: string, attribute: string) =>
    new Map(
      (tree?.root.children ?? [])
        .filter((node) => node.name === name)
        .map((node) => [attributeOf(node, attribute) ?? '', node]),
    );
  return {
    tree,
    definitions: byId(DEFINITION, 'w:abstractNumId'),
    lists: byId(LIST, 'w:numId'),
    pictures: byId(PICTURE, 'w:numPicBulletId'),
  };
}

/** The lists of the merged document, and the numbers that are free. */
export class ListBook {
  readonly part: Book;
  readonly first: ListSheet;
  /** Lists of the merged document by what they mean. */
  readonly byMeaning = new Map<string, string>();
  readonly #last = { definition: 0, list: 0, picture: 0 };
  readonly #signatures = new Set<string>();
  #signature = 0;
  /** The elements before which pictures, definitions and lists belong. */
  readonly #followers: readonly (XmlNode | undefined)[];

  constructor(sheet: ListSheet) {
    this.first = sheet;
    this.part = new Book(sheet.tree, 'numbering');
    this.#followers = [[DEFINITION, LIST, ...LAST], [LIST, ...LAST], LAST].map((names) =>
      sheet.tree?.root.children.find(({ name }) => names.includes(name)),
    );
    for (const [kind, ids] of [
      ['definition', sheet.definitions],
      ['list', sheet.lists],
      ['picture', sheet.pictures],
    ] as const)
      for (const id of ids.keys()) this.keep(kind, id);
    for (const node of sheet.definitions.values())
      this.#signatures.add((childValue(node, 'w:nsid') ?? '').toUpperCase());
  }

  keep(kind: 'definition' | 'list' | 'picture', id: string): void {
    const number = Number(id);
    if (Number.isSafeInteger(number) && number < 2 ** 31 - 2 ** 20)
      this.#last[kind] = Math.max(this.#last[kind], number);
  }

  next(kind: 'definition' | 'list' | 'picture'): string {
    return String(++this.#last[kind]);
  }

  /** A new `w:nsid`: Word takes lists of the same one for one list. */
  signature(): string {
    for (;;) {
      this.#signature = (this.#signature + 0x9e3779b1) >>> 0;
      const text = this.#signature.toString(16).toUpperCase().padStart(8, '0');
      if (this.#signatures.has(text)) continue;
      this.#signatures.add(text);
      return text;
    }
  }

  add(kind: 'definition' | 'list' | 'picture', xml: string, tree: Tree): void {
    const rank = { picture: 0, definition: 1, list: 2 }[kind];
    this.part.add(xml, this.part.namesFor(tree), this.#followers[rank], rank);
  }
}

const LAST = ['w:numIdMacAtCleanup'];

export interface ListContext {
  book: ListBook;
  /** Position of the document: lists of two documents are not the same. */
  document: number;
  mode: 'keep' | 'continue';
  theme: Theme;
  /** Whether the theme is not that of the first document. */
  isThemed: boolean;
  relationship(id: string): string;
  /** The id of a style of the merged document. */
  styleId(id: string): string;
  /** The name of a style of this document. */
  styleName(id: string): string;
  /** Whether a style of this document has a list, and with it its own place in the merged document. */
  isNumbered(styleId: string): boolean;
  later(write: () => void): void;
}

/** Children of a definition that do not say how its labels look. */
const SILENT = new Set(['w:nsid', 'w:tmpl', 'w:pStyle', 'w:styleLink', 'w:numStyleLink', 'w:lvlPicBulletId']);

/** The lists of one document, and which list of the merged document each is. */
export class ListMap {
  readonly #sheet: ListSheet;
  readonly #context: ListContext;
  readonly #lists = new Map<string, string>();
  readonly #definitions = new Map<string, string>();
  readonly #pictures = new Map<string, string>();
  readonly #meanings = new Map<string, string>();

  constructor(sheet: ListSheet, context: ListContext) {
    this.#sheet = sheet;
    this.#context = context;
    if (context.mode === 'continue') this.#readMeanings();
  }

  /** Numbers lists of the same meaning: the second of a document goes on with the second of another. */
  #readMeanings(): void {
    const definitions = new Map<string, string>();
    const counts = new Map<string, number>();
    for (const [id, node] of this.#sheet.lists) {
      const definition = childValue(node, 'w:abstractNumId') ?? '';
      const found = this.#sheet.definitions.get(definition);
      const known = definitions.get(definition) ?? (found === undefined ? '' : this.#meaningOf(found));
      definitions.set(definition, known);
      const own = node.children
        .filter(({ name }) => name === 'w:lvlOverride')
        .map((child) => meaningOf(child, this.#context.theme, SILENT));
      const meaning = `${known}\n${own.join('')}`;
      const count = counts.get(meaning) ?? 0;
      counts.set(meaning, count + 1);
      this.#meanings.set(id, `${count}\n${meaning}`);
    }
  }

  #meaningOf(definition: XmlNode): string {
    const styles = [...descendantsOf(definition)]
      .filter(({ name }) => name === 'w:pStyle' || name === 'w:styleLink' || name === 'w:numStyleLink')
      .map((node) => `${node.name} ${this.#context.styleName(attributeOf(node, 'w:val') ?? '')}`);
    const pictures = [...descendantsOf(definition)]
      .filter(({ name }) => name === 'w:lvlPicBulletId')
      .map(() => String(this.#context.document));
    const children = definition.children.map((child) => meaningOf(child, this.#context.theme, SILENT));
    return JSON.stringify([styles, pictures, children]);
  }

  /** Text that is equal for lists that are one in the merged document. */
  keyOf(id: string): string {
    return this.#meanings.get(id) ?? `${this.#context.document} ${id}`;
  }

  /** Enters the lists of the first document. */
  enterAll(): void {
    for (const id of this.#sheet.lists.keys()) this.#context.book.byMeaning.set(this.keyOf(id), id);
  }

  /** The id in the merged document. An unknown one becomes one that no list has. */
  numId(id: string): string {
    if (/^[+-]?0+$/.test(id)) return id;
    const known = this.#lists.get(id);
    if (known !== undefined) return known;
    const { book, later } = this.#context;
    const node = this.#sheet.lists.get(id);
    const same = node && book.byMeaning.get(this.keyOf(id));
    const made = same ?? book.next('list');
    this.#lists.set(id, made);
    if (same !== undefined || node === undefined) return made;
    book.byMeaning.set(this.keyOf(id), made);
    later(() => this.#writeList(node, made));
    return made;
  }

  #writeList(node: XmlNode, id: string): void {
    const definition = node.children.find(({ name }) => name === 'w:abstractNumId');
    const old = definition && attributeOf(definition, 'w:val');
    this.#write('list', node, (xml) => [
      valueEdit(xml, node, 'w:numId', id),
      ...(definition === undefined ? [] : [valueEdit(xml, definition, 'w:val', this.#definition(old ?? ''))]),
      ...this.#innerEdits(node, xml),
    ]);
  }

  #definition(id: string): string {
    const known = this.#definitions.get(id);
    if (known !== undefined) return known;
    const { book, later } = this.#context;
    const made = book.next('definition');
    this.#definitions.set(id, made);
    const node = this.#sheet.definitions.get(id);
    if (node !== undefined) later(() => this.#writeDefinition(node, made));
    return made;
  }

  #writeDefinition(node: XmlNode, id: string): void {
    const signature = this.#context.book.signature();
    const own = node.children.find(({ name }) => name === 'w:nsid');
    this.#write('definition', node, (xml) => [
      valueEdit(xml, node, 'w:abstractNumId', id),
      own === undefined
        ? inside(node, `<w:nsid w:val="${signature}"/>`)
        : valueEdit(xml, own, 'w:val', signature),
      ...this.#innerEdits(node, xml),
    ]);
  }

  #innerEdits(node: XmlNode, xml: string): (Edit | undefined)[] {
    const { styleId, isNumbered, isThemed, theme } = this.#context;
    return [...descendantsOf(node)].flatMap((inner) => {
      const value = attributeOf(inner, 'w:val') ?? '';
      if (inner.name === 'w:pStyle')
        return [isNumbered(value) ? valueEdit(xml, inner, 'w:val', styleId(value)) : removal(inner)];
      if (inner.name === 'w:styleLink' || inner.name === 'w:numStyleLink')
        return [valueEdit(xml, inner, 'w:val', styleId(value))];
      if (inner.name === 'w:lvlPicBulletId') return [valueEdit(xml, inner, 'w:val', this.#picture(value))];
      return isThemed ? themeEdits(inner, xml, theme) : [];
    });
  }

  #picture(id: string): string {
    const known = this.#pictures.get(id);
    if (known !== undefined) return known;
    const made = this.#context.book.next('picture');
    this.#pictures.set(id, made);
    const node = this.#sheet.pictures.get(id);
    if (node !== undefined)
      this.#context.later(() =>
        this.#write('picture', node, (xml) => [
          valueEdit(xml, node, 'w:numPicBulletId', made),
          ...[...descendantsOf(node)].flatMap((inner) =>
            inner.attributes
              .filter(({ name }) => name.startsWith('r:') || name === 'o:relid')
              .map(({ name, value }) => valueEdit(xml, inner, name, this.#context.relationship(value))),
          ),
        ]),
      );
    return made;
  }

  #write(
    kind: 'definition' | 'list' | 'picture',
    node: XmlNode,
    editsOf: (xml: string) => (Edit | undefined)[],
  ): void {
    const { tree } = this.#sheet;
    if (tree === undefined) return;
    const edits = editsOf(tree.xml).filter((edit) => edit !== undefined);
    const text = applyEdits(tree.xml.slice(node.start, node.end), moved(edits, node.start));
    this.#context.book.add(kind, text, tree);
  }
}

/** Inserts text at the start of an element; undefined if it is empty. */
function inside({ openEnd, end }: XmlNode, text: string): Edit | undefined {
  return openEnd === end ? undefined : { start: openEnd, end: openEnd, text };
}
