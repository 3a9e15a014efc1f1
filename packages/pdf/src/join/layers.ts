import { type Dict, isName, type PdfValue } from '../read/values.ts';
import type { JoinedSource } from './source.ts';

/** Keys of a configuration that list groups, or lists of them (ISO 32000-2, table 99). */
const LISTS = ['Order', 'RBGroups', 'Locked', 'AS'] as const;
type ListKey = (typeof LISTS)[number];

/** The optional content groups of the result, in the default states of their documents. */
export class JoinedLayers {
  readonly #groups: string[] = [];
  readonly #off: string[] = [];
  readonly #lists: Record<ListKey, string[]> = { Order: [], RBGroups: [], Locked: [], AS: [] };

  /** Gives the groups their places: each document keeps its own. */
  open(source: JoinedSource): void {
    for (const { num } of groupsOf(source)) source.own(num);
  }

  add(source: JoinedSource): void {
    const properties = source.dict('OCProperties');
    const state = properties && source.document.dict(properties, 'D');
    if (!properties) return;
    const { copier } = source;
    const numbers = (key: string) => {
      const items = state ? source.list(state, key) : [];
      return new Set(items.map((item) => source.target(item)?.num));
    };
    const [on, off] = [numbers('ON'), numbers('OFF')];
    const isOffByDefault = state !== undefined && isName(source.document.get(state, 'BaseState'), 'OFF');
    const groups = groupsOf(source);
    for (const { num } of groups) {
      const text = `${copier.placeOf(num)} 0 R`;
      this.#groups.push(text);
      if (off.has(num) || (isOffByDefault && !on.has(num))) this.#off.push(text);
    }
    if (!state) return;
    for (const key of LISTS) {
      const items = source.list(state, key).filter((item) => isPresent(source, item));
      for (const item of items) this.#lists[key].push(copier.text(item));
    }
  }

  /** Returns the value for the catalog; undefined without groups. */
  finish(): string | undefined {
    if (this.#groups.length === 0) return undefined;
    const off = this.#off.length > 0 ? `/OFF[${this.#off.join(' ')}]` : '';
    const lists = LISTS.map((key) =>
      this.#lists[key].length > 0 ? `/${key}[${this.#lists[key].join(' ')}]` : '',
    );
    // PDF/A-2 and later require a name (ISO 19005-2, 6.9).
    return `<</OCGs[${this.#groups.join(' ')}]/D<</Name(Layers)${off}${lists.join('')}>>>>`;
  }
}

function groupsOf(source: JoinedSource): { num: number; dict: Dict }[] {
  const properties = source.dict('OCProperties');
  const items = properties ? source.list(properties, 'OCGs') : [];
  const found = items.map((item) => source.target(item)).filter((item) => item !== undefined);
  return [...new Map(found.map((item) => [item.num, item])).values()];
}

const isPresent = (source: JoinedSource, item: PdfValue): boolean => source.document.resolve(item) !== null;
