import { childOf, type XmlNode } from '@scriptorium/ooxml/xml';
import type { StyleUse } from './look.ts';
import { difference, type Properties, type Property, propertiesOf } from './properties.ts';
import type { MergedStyle, StyleBook } from './style-book.ts';
import type { Style, StyleSheet } from './style-sheet.ts';
import type { Theme } from './theme.ts';
import { writeStyle } from './write-style.ts';

export interface StyleContext {
  book: StyleBook;
  mode: 'keep' | 'first';
  /** The first document; undefined for itself. */
  first: StyleMap | undefined;
  /** The theme to resolve, if it is not that of the first document. */
  theme: Theme | undefined;
  /** Text that is equal for lists that are to be one. */
  listKey(numId: string): string;
  numId(id: string): string;
}

/** Sets of properties that tables keep from the styles of their paragraphs. More than these are kept by all tables. */
const TABLE_SETS_MAX = 8;
const NONE = '';

/** The styles of one document, and which style of the merged document each is. */
export class StyleMap {
  readonly sheet: StyleSheet;
  readonly names = new Map<string, string>();
  readonly #context: StyleContext;
  readonly #looks = new Map<string, Map<Style, number>>();
  readonly #merged = new Map<string, Map<Style, MergedStyle>>();
  readonly #unknown = new Map<string, string>();
  /** What differs between the defaults of this document and those of the first. */
  readonly #difference: ReadonlyMap<string, Property>;
  readonly #tableSets = new Map<Style, string>();
  readonly #sets = new Map<string, ReadonlySet<string>>([[NONE, new Set()]]);
  readonly #tableBase = new Map<Style, { base: Set<string>; all: Set<string> }>();

  constructor(sheet: StyleSheet, context: StyleContext) {
    this.sheet = sheet;
    this.#context = context;
    const { first, mode } = context;
    this.#difference =
      first === undefined || mode === 'first'
        ? new Map()
        : new Map([
            ...difference(sheet.paragraph, first.sheet.paragraph),
            ...difference(sheet.run, first.sheet.run),
          ]);
  }

  /** Enters the styles of the first document. */
  enterAll(): void {
    const { book } = this.#context;
    const merged = new Map<Style, MergedStyle>();
    this.#merged.set(NONE, merged);
    for (const style of this.sheet.styles.values()) book.keepId(style.id);
    for (const style of this.#all()) {
      const entry: MergedStyle = style.isImplied
        ? book.create(style.id, style.name, (made) => this.#write(style, NONE, made))
        : { id: style.id, name: style.name, write: undefined };
      merged.set(style, entry);
      for (const key of this.#keys(style, NONE, [style.name])) book.enter(key, entry);
    }
    for (const style of this.#all())
      for (const key of this.#keys(style, NONE, style.aliases))
        book.enter(key, merged.get(style) as MergedStyle);
  }

  /** Finds or names all styles of an imported document. */
  nameAll(): void {
    for (const style of this.#all()) {
      const { name } = this.#mergedOf(style, NONE);
      if (name.toLowerCase() !== style.name.toLowerCase()) this.names.set(style.name, name);
    }
  }

  #all(): Style[] {
    const implied = [...this.sheet.defaults.values()].filter(({ isImplied }) => isImplied);
    return [...this.sheet.styles.values(), ...implied];
  }

  /** A number that is equal for equal looks. */
  lookOf(style: Style, without: string): number {
    const known = this.#looks.get(without) ?? new Map<Style, number>();
    this.#looks.set(without, known);
    const chain = new Set<Style>();
    for (
      let next: Style | undefined = style;
      next && !known.has(next) && !chain.has(next);
      next = next.basedOn
    )
      chain.add(next);
    for (const each of [...chain].toReversed()) {
      const base = each.basedOn && known.get(each.basedOn);
      const list =
        each.numId === undefined || each.numId === '0' ? each.numId : this.#context.listKey(each.numId);
      const added = this.additionsTo(each, without).map(({ group, element, attribute, value }) =>
        [group, element, attribute, value].join(' '),
      );
      const text = JSON.stringify([each.type, each.own, list, base, added.toSorted()]);
      known.set(each, this.#context.book.numberOf(text));
    }
    return known.get(style) as number;
  }

  /** What a style must set so that the defaults of its document hold. */
  additionsTo(style: Style, without: string): Property[] {
    if (this.#difference.size === 0) return [];
    const own = (group: 'p' | 'r') =>
      propertiesOf(childOf(style.node, `w:${group}Pr`), group, this.sheet.theme);
    if (style.type === 'table') {
      const { base, all } = this.#tableProperties(style);
      return [...this.#difference]
        .filter(([key]) => all.has(key) && !base.has(key))
        .map(([, value]) => value);
    }
    if (style.type !== 'paragraph' || style.basedOn !== undefined) return [];
    const set: Properties = new Map([...own('p'), ...own('r')]);
    const kept = this.#sets.get(without);
    return [...this.#difference]
      .filter(([key]) => !set.has(key) && !kept?.has(key))
      .map(([, value]) => value);
  }

  /** What a table style and its bases set: for all cells, and for some. */
  #tableProperties(style: Style): { base: Set<string>; all: Set<string> } {
    const chain = new Set<Style>();
    const known = this.#tableBase;
    for (
      let next: Style | undefined = style;
      next && !known.has(next) && !chain.has(next);
      next = next.basedOn
    )
      chain.add(next);
    for (const each of [...chain].toReversed()) {
      const inherited = each.basedOn && known.get(each.basedOn);
      const [base, all] = [new Set(inherited?.base), new Set(inherited?.all)];
      for (const key of this.#keysOf(each.node)) if (this.#difference.has(key)) all.add(key) && base.add(key);
      for (const part of each.node.children)
        if (part.name === 'w:tblStylePr')
          for (const key of this.#keysOf(part)) if (this.#difference.has(key)) all.add(key);
      known.set(each, { base, all });
    }
    return known.get(style) as { base: Set<string>; all: Set<string> };
  }

  #keysOf(node: XmlNode): string[] {
    return (['p', 'r'] as const).flatMap((group) => [
      ...propertiesOf(childOf(node, `w:${group}Pr`), group, this.sheet.theme).keys(),
    ]);
  }

  /** The set of properties that paragraphs in a table leave to the table's style. */
  #setOf(table: string | undefined): string {
    if (table === undefined || this.#difference.size === 0) return NONE;
    const found = this.sheet.styles.get(table);
    const style = found?.type === 'table' ? found : this.sheet.defaults.get('table');
    if (style === undefined) return NONE;
    const known = this.#tableSets.get(style);
    if (known !== undefined) return known;
    const { all } = this.#tableProperties(style);
    let set = [...all].toSorted().join('\n');
    if (!this.#sets.has(set) && this.#sets.size >= TABLE_SETS_MAX)
      set = [...this.#difference.keys()].join('\n');
    this.#sets.set(set, new Set(set.split('\n')));
    this.#tableSets.set(style, set);
    return set;
  }

  #keys(style: Style, without: string, names: readonly string[]): string[] {
    const { type, link, isDefault } = style;
    if (this.#context.mode === 'first')
      return [
        ...names.map((name) => `${type}\n${name.trim().toLowerCase()}`),
        ...(isDefault ? [`${type} default`] : []),
      ];
    const look = this.lookOf(style, without);
    const other = link === undefined ? '' : this.lookOf(link, NONE);
    return names.map((name) => `${type}\n${name.trim().toLowerCase()}\n${look}\n${other}`);
  }

  #mergedOf(style: Style, without: string): MergedStyle {
    const known = this.#merged.get(without) ?? new Map<Style, MergedStyle>();
    this.#merged.set(without, known);
    const { book } = this.#context;
    const keys = this.#keys(style, without, [style.name, ...style.aliases]);
    const merged =
      known.get(style) ??
      keys.map((key) => book.find(key)).find((found) => found !== undefined) ??
      book.create(style.id, style.name, (made) => this.#write(style, without, made));
    known.set(style, merged);
    if (keys[0] !== undefined) book.enter(keys[0], merged);
    return merged;
  }

  #write(style: Style, without: string, made: MergedStyle): void {
    const { book, theme, numId } = this.#context;
    writeStyle(style, made, {
      part: book.part,
      theme,
      additions: this.additionsTo(style, without),
      isVariant: without !== NONE,
      styleId: (id, isBase) => this.styleOf(id, isBase ? without : NONE),
      numId,
    });
  }

  /** The id in the merged document. */
  styleOf(id: string, without: string): string {
    const style = this.sheet.styles.get(id);
    if (style === undefined) return this.#unknownId(id);
    return this.#context.book.use(this.#mergedOf(style, style.type === 'paragraph' ? without : NONE));
  }

  /** The id for a use in the content. A paragraph with an unknown style looks like one without. */
  styleId(id: string, use: StyleUse = {}): string {
    if (this.sheet.styles.has(id)) return this.styleOf(id, this.#setOf(use.table));
    const type = use.type ?? 'paragraph';
    return (type === 'character' ? undefined : this.unstyled(type, use.table)) ?? this.#unknownId(id);
  }

  #unknownId(id: string): string {
    const known = this.#unknown.get(id) ?? this.#context.book.freeId(id);
    this.#unknown.set(id, known);
    return known;
  }

  /** The style of what has none; undefined if that of the first document looks the same. */
  unstyled(type: 'paragraph' | 'table', table: string | undefined): string | undefined {
    const style = this.sheet.defaults.get(type);
    const { first, mode, book } = this.#context;
    if (style === undefined || mode === 'first' || first === undefined) return undefined;
    const set = type === 'paragraph' ? this.#setOf(table) : NONE;
    if (this.lookOf(style, set) === first.#defaultLook(type)) return undefined;
    return book.use(this.#mergedOf(style, set));
  }

  /** The look of what has no style. */
  #defaultLook(type: string): number | undefined {
    const style = this.sheet.defaults.get(type);
    return style && this.lookOf(style, NONE);
  }
}
