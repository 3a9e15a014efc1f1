import { attributeOf, childOf, childValue, type XmlNode } from '@scriptorium/ooxml/xml';

/** One level of a list, with the overrides of its list applied. */
export interface Level {
  /** Its element. */
  node: XmlNode;
  format: string;
  text: string;
  start: number;
  /** Shows the numbers of other levels in decimal. */
  isLegal: boolean;
  /** The level, from 1, whose number restarts this one; 0 for none. Undefined for any higher one. */
  restart: number | undefined;
}

/** A list (`w:num`) and what it counts together with. */
export interface List {
  /** The definition whose numbers it continues. */
  definition: string;
  levels: readonly (Level | undefined)[];
  /** First numbers of levels that begin anew with this list. */
  starts: ReadonlyMap<number, number>;
}

/** What a paragraph style says about lists. */
interface ListStyle {
  list: string | undefined;
  level: number | undefined;
  basedOn: string | undefined;
  /** Its indents, which go before those of the list. */
  indents: XmlNode | undefined;
}

const LEVELS = 9;
const STYLE_DEPTH_MAX = 50;

const whole = (text: string | undefined): number | undefined => {
  const value = Number(text);
  return text !== undefined && Number.isInteger(value) && value >= 0 && value < 2 ** 31 ? value : undefined;
};
const isOn = (node: XmlNode | undefined): boolean =>
  node !== undefined && !['0', 'false', 'off'].includes(attributeOf(node, 'w:val') ?? '');

/** The lists and list styles of a document. */
export class ListSheet {
  readonly #definitions = new Map<string, XmlNode>();
  readonly #nums = new Map<string, XmlNode>();
  readonly #styles = new Map<string, ListStyle>();
  readonly #lists = new Map<string, List | undefined>();
  #defaultStyle = '';
  /** The largest number of a definition, and of a list. */
  readonly last = { definition: 0, list: 0 };

  constructor(numbering: XmlNode, styles: XmlNode | undefined) {
    for (const node of numbering.children) {
      const id = attributeOf(node, node.name === 'w:num' ? 'w:numId' : 'w:abstractNumId') ?? '';
      const kind = node.name === 'w:num' ? 'list' : 'definition';
      if (node.name === 'w:num') this.#nums.set(id, node);
      else if (node.name === 'w:abstractNum') this.#definitions.set(id, node);
      else continue;
      this.last[kind] = Math.max(this.last[kind], whole(id) ?? 0);
    }
    for (const node of styles?.children ?? []) if (node.name === 'w:style') this.#readStyle(node);
  }

  #readStyle(node: XmlNode): void {
    const id = attributeOf(node, 'w:styleId') ?? '';
    const properties = childOf(node, 'w:pPr');
    const numbers = properties && childOf(properties, 'w:numPr');
    if (attributeOf(node, 'w:type') === 'paragraph' && isOn(node) && attributeOf(node, 'w:default') === '1')
      this.#defaultStyle = id;
    this.#styles.set(id, {
      list: numbers && childValue(numbers, 'w:numId'),
      level: whole(numbers && childValue(numbers, 'w:ilvl')),
      basedOn: childValue(node, 'w:basedOn'),
      indents: properties && childOf(properties, 'w:ind'),
    });
  }

  /** The list and level of a paragraph with this style and these own values. Undefined if it has no number. */
  placeOf(
    styleId: string | undefined,
    own: { list: string | undefined; level: number | undefined },
  ): { list: List; level: number; indents: XmlNode | undefined } | undefined {
    const style = this.#inherited(styleId ?? this.#defaultStyle);
    const id = own.list ?? style.list;
    const list = id === undefined ? undefined : this.#listOf(id);
    if (list === undefined) return undefined;
    const linked = own.list === undefined ? this.#linkedLevel(list, style.source) : undefined;
    const level = own.level ?? linked ?? style.level ?? 0;
    const indents = own.list === undefined ? style.indents : undefined;
    return list.levels[level] === undefined ? undefined : { list, level, indents };
  }

  /** The nearest values of a style and those that it is based on. */
  #inherited(styleId: string): Omit<ListStyle, 'basedOn'> & { source: string } {
    const found = { list: undefined, level: undefined, indents: undefined, source: styleId } as Omit<
      ListStyle,
      'basedOn'
    > & { source: string };
    let id: string | undefined = styleId;
    for (let depth = 0; id !== undefined && depth < STYLE_DEPTH_MAX; depth++) {
      const style: ListStyle | undefined = this.#styles.get(id);
      // Indents of a style below the one with the list do not go before those of the list.
      if (found.list === undefined) found.indents ??= style?.indents;
      if (found.list === undefined && style?.list !== undefined) {
        found.list = style.list;
        found.source = id;
      }
      found.level ??= style?.level;
      id = style?.basedOn;
    }
    return found;
  }

  #linkedLevel({ levels }: List, styleId: string): number | undefined {
    const at = levels.findIndex(
      (level) => level !== undefined && childValue(level.node, 'w:pStyle') === styleId,
    );
    return at === -1 ? undefined : at;
  }

  #listOf(id: string): List | undefined {
    if (!this.#lists.has(id)) this.#lists.set(id, this.#readList(id));
    return this.#lists.get(id);
  }

  #readList(id: string): List | undefined {
    const num = this.#nums.get(id);
    const definition = num && childValue(num, 'w:abstractNumId');
    const node = definition === undefined ? undefined : this.#definitionOf(definition);
    if (num === undefined || node === undefined) return undefined;
    const levels: (Level | undefined)[] = [];
    const starts = new Map<number, number>();
    for (const child of node.children) if (child.name === 'w:lvl') this.#readLevel(child, levels);
    for (const child of num.children) {
      const at = whole(attributeOf(child, 'w:ilvl'));
      if (child.name !== 'w:lvlOverride' || at === undefined) continue;
      const level = childOf(child, 'w:lvl');
      if (level !== undefined) this.#readLevel(level, levels);
      const start = whole(childValue(child, 'w:startOverride'));
      if (start !== undefined) starts.set(at, start);
    }
    return { definition: attributeOf(node, 'w:abstractNumId') ?? '', levels, starts };
  }

  /** A definition may refer to a style with the list. */
  #definitionOf(id: string): XmlNode | undefined {
    const node = this.#definitions.get(id);
    const styleId = node && childValue(node, 'w:numStyleLink');
    if (styleId === undefined) return node;
    const num = this.#nums.get(this.#styles.get(styleId)?.list ?? '');
    return this.#definitions.get((num && childValue(num, 'w:abstractNumId')) ?? '') ?? node;
  }

  #readLevel(node: XmlNode, levels: (Level | undefined)[]): void {
    const at = whole(attributeOf(node, 'w:ilvl'));
    if (at === undefined || at >= LEVELS) return;
    levels[at] = {
      node,
      format: childValue(node, 'w:numFmt') ?? 'decimal',
      text: childValue(node, 'w:lvlText') ?? '',
      start: whole(childValue(node, 'w:start')) ?? 0,
      isLegal: isOn(childOf(node, 'w:isLgl')),
      restart: whole(childValue(node, 'w:lvlRestart')),
    };
  }
}
