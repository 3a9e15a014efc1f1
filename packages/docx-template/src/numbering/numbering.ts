import { Budget } from '@scriptorium/ooxml/bounds';
import type { Part } from '@scriptorium/ooxml/package';
import {
  applyEdits,
  attributeOf,
  childOf,
  childValue,
  type Edit,
  scanXml,
  TreeBuilder,
  XML_DECLARATION,
  type XmlNode,
} from '@scriptorium/ooxml/xml';
import { type Dialect, dialectOf } from '../template/dialect.ts';
import type { Template } from '../template/template.ts';
import { bulletLevels, decimalLevels, LEVELS } from './levels.ts';

const CONTENT_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml.numbering+xml';
/** Where the identities of new lists begin (`w:nsid`, a hexadecimal number of 8 digits). */
const IDENTITIES_START = 0x5c710000;

/** The numbering part of a template, or an empty one. It does not change. */
interface NumberingFacts {
  /** Undefined if the template has none. */
  part: Part | undefined;
  xml: string;
  root: XmlNode;
  dialect: Dialect;
  abstracts: ReadonlyMap<string, XmlNode>;
  nums: ReadonlyMap<string, XmlNode>;
}

/** What the lists of a document need of its editor. */
export interface NumberingParts {
  readonly template: Template;
  edit(story: { part: Part }, edit: Edit): void;
  addPart(part: { kind: string; fileName: string; contentType: string; xml: string }): void;
}

const knownFacts = new WeakMap<Template, NumberingFacts>();

/** Reads the numbering part of a template once. */
function factsOf(template: Template): NumberingFacts {
  const facts = knownFacts.get(template) ?? readFacts(template);
  knownFacts.set(template, facts);
  return facts;
}

function readFacts({ document, stories }: Template): NumberingFacts {
  const { main } = document;
  const target = main.relationships.list.find(({ kind }) => kind === 'numbering')?.part;
  const part = target === undefined ? undefined : document.parts.get(target);
  const body = stories.find(({ part: { key } }) => key === main.key);
  const own = `${XML_DECLARATION}<w:numbering xmlns:w="${body?.dialect.namespaces.w}"></w:numbering>`;
  const xml = part?.xml ?? own;
  const tree = new TreeBuilder();
  scanXml(xml, [tree.visitor], { budget: new Budget(), part: part?.name ?? 'numbering' });
  const { root } = tree;
  const byId = (name: string, id: string) =>
    new Map(
      root.children
        .filter((node) => node.name === name)
        .map((node): [string, XmlNode] => [attributeOf(node, id) ?? '', node]),
    );
  const [abstracts, nums] = [byId('w:abstractNum', 'w:abstractNumId'), byId('w:num', 'w:numId')];
  return { part, xml, root, dialect: dialectOf(xml, root), abstracts, nums };
}

/**
 * Adds lists to a document (ECMA-376-1 §17.9). `write` puts them into the numbering part, or creates it. The part keeps its
 * bytes without new lists.
 */
export class Numbering {
  readonly #parts: NumberingParts;
  readonly #facts: NumberingFacts;
  /** New definitions and new lists, as XML. */
  readonly #abstracts: string[] = [];
  readonly #nums: string[] = [];
  #nextAbstract: number;
  #nextNum: number;
  /** The lists with bullets, and the definitions of numbered ones, by their looks. */
  readonly #bullets = new Map<string, string>();
  readonly #decimals = new Map<string, string>();

  constructor(parts: NumberingParts) {
    this.#parts = parts;
    this.#facts = factsOf(parts.template);
    this.#nextAbstract = 1 + largest(this.#facts.abstracts);
    this.#nextNum = 1 + largest(this.#facts.nums);
  }

  /** The id of the document's own list with bullets, the same each time. `marker` is the bullet of a level (from 0). */
  bulletList(level = 0, marker?: string): string {
    const levels = () => bulletLevels(this.#facts.dialect, level, marker);
    return known(this.#bullets, level, marker, () => this.#addNum(this.#addAbstract(levels()), ''));
  }

  /** The id of a new numbered list, of which one level (from 0) starts at a number. `marker` is the format of its numbers. */
  decimalList(level: number, start: number, marker?: string): string {
    const levels = () => decimalLevels(this.#facts.dialect, level, marker);
    const abstract = known(this.#decimals, level, marker, () => this.#addAbstract(levels()));
    return this.#addNum(abstract, this.#startAt(level, start));
  }

  /**
   * The id of a new list that looks like another one and starts again, on every level. Undefined if the document has no
   * such list.
   */
  restartedList(numId: string): string | undefined {
    const num = this.#facts.nums.get(numId);
    const abstractId = num && childValue(num, 'w:abstractNumId');
    if (num === undefined || abstractId === undefined) return undefined;
    const { xml, abstracts } = this.#facts;
    const levels = abstracts.get(abstractId)?.children.filter(({ name }) => name === 'w:lvl') ?? [];
    const starts = new Map(
      levels.map((level) => [attributeOf(level, 'w:ilvl'), childValue(level, 'w:start')]),
    );
    const overrides = new Map(
      num.children
        .filter(({ name }) => name === 'w:lvlOverride')
        .map((override) => [attributeOf(override, 'w:ilvl'), override]),
    );
    const restarted = Array.from({ length: LEVELS }, (_, index) => {
      const level = String(index);
      const override = overrides.get(level);
      const own = override && childOf(override, 'w:lvl');
      const start =
        (override && childValue(override, 'w:startOverride')) ??
        (own && childValue(own, 'w:start')) ??
        starts.get(level) ??
        '1';
      return this.#startAt(index, Number(start) || 0, own && xml.slice(own.start, own.end));
    });
    return this.#addNum(abstractId, restarted.join(''));
  }

  /** Writes the new lists. Must be called once, at the end. */
  write(): void {
    if (this.#nums.length === 0) return;
    const { part, xml } = this.#facts;
    const edits = this.#edits();
    if (part !== undefined) {
      for (const edit of edits) this.#parts.edit({ part }, edit);
      return;
    }
    const written = applyEdits(xml, edits);
    this.#parts.addPart({
      kind: 'numbering',
      fileName: 'numbering',
      contentType: CONTENT_TYPE,
      xml: written,
    });
  }

  /** Definitions must precede lists, and both precede `w:numIdMacAtCleanup`. */
  #edits(): Edit[] {
    const { root, xml } = this.#facts;
    const [abstracts, nums] = [this.#abstracts.join(''), this.#nums.join('')];
    if (root.openEnd === root.end) {
      const tag = xml.slice(root.start, root.end - 2).trimEnd();
      const name = /^<([^\s/>]+)/.exec(tag)?.[1] ?? '';
      return [{ start: root.start, end: root.end, text: `${tag}>${abstracts}${nums}</${name}>` }];
    }
    const end = childOf(root, 'w:numIdMacAtCleanup')?.start ?? root.closeStart;
    const first = childOf(root, 'w:num')?.start ?? end;
    const last = root.children.findLast(({ name }) => name === 'w:num')?.end ?? end;
    // Insertions at the same place keep their order.
    return [
      { start: first, end: first, text: abstracts },
      { start: last, end: last, text: nums },
    ];
  }

  #startAt(level: number, start: number, own = ''): string {
    const { element } = this.#facts.dialect;
    const override = element('startOverride', { val: String(start) });
    return element('lvlOverride', { ilvl: String(level) }, override + own);
  }

  #addAbstract(levels: string): string {
    const { element } = this.#facts.dialect;
    const id = String(this.#nextAbstract++);
    const identity = (IDENTITIES_START + Number(id)).toString(16).toUpperCase().padStart(8, '0').slice(-8);
    const head = element('nsid', { val: identity }) + element('multiLevelType', { val: 'hybridMultilevel' });
    this.#abstracts.push(element('abstractNum', { abstractNumId: id }, head + levels));
    return id;
  }

  #addNum(abstractId: string, overrides: string): string {
    const { element } = this.#facts.dialect;
    const id = String(this.#nextNum++);
    this.#nums.push(element('num', { numId: id }, element('abstractNumId', { val: abstractId }) + overrides));
    return id;
  }
}

function known(
  ids: Map<string, string>,
  level: number,
  marker: string | undefined,
  add: () => string,
): string {
  const key = marker === undefined ? '' : `${level} ${marker}`;
  const id = ids.get(key) ?? add();
  ids.set(key, id);
  return id;
}

function largest(ids: ReadonlyMap<string, unknown>): number {
  let most = 0;
  for (const id of ids.keys()) most = Math.max(most, Number(id) || 0);
  return most;
}
