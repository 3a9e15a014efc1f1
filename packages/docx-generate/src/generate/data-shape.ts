import type { Expression, Json } from '@scriptorium/expressions/expression';
import { fieldName, namesIn, type Read, reads } from '@scriptorium/expressions/reads';
import { hasKind } from '../values/kinds.ts';
import { isJsonObject, pathTo } from '../values/value-kind.ts';

/**
 * What a template makes of a value. `test`: it decides whether something is shown. `list`: it is repeated. `section`: it is
 * repeated, or opened, or decides. `item`: one of its items is read. `address`: it begins the address of a link. `whole`: a
 * formatter reads all of it. `map`: its properties have the names that other values are.
 */
export type Need =
  | 'text'
  | 'number'
  | 'sum'
  | 'date'
  | 'datetime'
  | 'image'
  | 'markup'
  | 'address'
  | 'chart'
  | 'test'
  | 'list'
  | 'section'
  | 'item'
  | 'whole'
  | 'map';

const DECIDING: ReadonlySet<Need> = new Set(['test', 'section']);
const REPEATED: ReadonlySet<Need> = new Set(['list', 'section', 'item', 'whole', 'map']);

interface Property {
  shape: DataShape;
  /** It is missing wherever its object has no such property. */
  isNeeded: boolean;
}

/** What a template reads at one place of the data. */
export class DataShape {
  readonly properties = new Map<string, Property>();
  readonly needs = new Set<Need>();
  /** Values that comparisons and patterns of the template name. */
  readonly samples: Json[] = [];
  /** The only texts that it may be. */
  choices: readonly string[] | undefined;
  /** The values that are names of its properties. */
  readonly keys: DataShape[] = [];
  /** The numbers of items that the template names. */
  readonly indexes = new Set<number>();
  #items: DataShape | undefined;
  /** Names that an inner scope or another notation may find here. */
  readonly #mentioned = new Set<string>();
  /** The properties that merge fields name, by the name that Word compares. */
  readonly #loose = new Map<string, DataShape>();

  need(...needs: readonly Need[]): void {
    for (const need of needs) this.needs.add(need);
  }

  /** The shape of an item. */
  items(need: 'list' | 'section' | 'item'): DataShape {
    this.needs.add(need);
    this.#items ??= new DataShape();
    return this.#items;
  }

  /** The item that a number names. */
  item(index: number): DataShape {
    this.indexes.add(index);
    return this.items('item');
  }

  property(name: string, { isLoose = false, isNeeded = false } = {}): DataShape {
    const known = this.properties.get(name) ?? { shape: new DataShape(), isNeeded };
    known.isNeeded ||= isNeeded;
    this.properties.set(name, known);
    if (isLoose) this.#loose.set(fieldName(name), known.shape);
    return known.shape;
  }

  /** How many items there must be. */
  get itemsMin(): number {
    return Math.max(0, ...[...this.indexes].map((index) => (index < 0 ? -index : index + 1)));
  }

  mention(name: string): void {
    this.#mentioned.add(name);
  }

  /** The shape of its items, if anything reads them. */
  get usedItems(): DataShape | undefined {
    const items = this.#items;
    return items === undefined || !items.#isUsed ? undefined : items;
  }

  /** Each property has a name that other values are. */
  map(keys: readonly DataShape[], hint: Read['hint']): void {
    this.need('map', 'whole');
    this.keys.push(...keys);
    this.items('item').need(hint === 'number' || hint === 'sum' || hint === 'date' ? hint : 'text');
  }

  get #isUsed(): boolean {
    return this.needs.size > 0 || this.properties.size > 0;
  }

  /** Whether it is printed. */
  get isShown(): boolean {
    return [...this.needs].some((need) => !DECIDING.has(need) && !REPEATED.has(need));
  }

  /** Calls `add` with the first path of each property that nothing reads. `pattern` is the path without indexes. */
  unusedIn(value: Json, path: string, add: (path: string, pattern: string) => void, pattern = path): void {
    const items = this.usedItems;
    const isWhole =
      this.isShown ||
      this.needs.has('whole') ||
      (this.#isUsed && items === undefined && this.properties.size === 0);
    if (isWhole) return;
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries())
        items?.unusedIn(item, pathTo(path, index), add, `${pattern}[]`);
      return;
    }
    if (!isJsonObject(value) || hasKind(value) || this.needs.has('list')) return;
    for (const [name, own] of Object.entries(value)) {
      const next = [pathTo(path, name), pathTo(pattern, name)] as const;
      const shapes = [this, ...(items === undefined ? [] : [items])].flatMap(
        (shape) => shape.#named(name) ?? [],
      );
      if (shapes.length === 0) add(...next);
      else if (!shapes.includes('whole'))
        for (const shape of shapes) if (shape !== 'whole') shape.unusedIn(own, next[0], add, next[1]);
    }
  }

  /** What is read of a property. */
  #named(name: string): DataShape | 'whole' | undefined {
    const known = this.properties.get(name)?.shape ?? this.#loose.get(fieldName(name));
    return this.#mentioned.has(name) ? 'whole' : known;
  }
}

/** The shapes to which names lead. Variables are searched outwards. */
export interface ShapeScope {
  shape: DataShape;
  variables: ReadonlyMap<string, DataShape>;
  outer: ShapeScope | undefined;
  /** Loops and conditions around, each of which may show nothing. */
  depth: number;
  /** It is a branch of a condition, which opens no value. */
  isBranch?: true;
  /** What is repeated. */
  list?: DataShape;
}

const INDEX = /^-?\d{1,9}$/;

/** The shape at a path. Names that nothing defines belong to the innermost scope. */
function shapeAt(read: Read, scope: ShapeScope, isLoose: boolean): DataShape {
  const { steps, isOwn, up, isOptional } = read;
  let start = valueScope(scope);
  for (let skipped = 0; skipped < up && start.outer !== undefined; skipped++) start = valueScope(start.outer);
  const variable = isOwn ? undefined : variableOf(read, up === 0 ? scope : start);
  if (!isOwn && variable === undefined) mentionOutside(steps[0], start);
  const { shape: from, depth } = variable ?? ownerOf(start);
  const isNeeded = !isOptional && depth === scope.depth;
  let shape = from;
  for (const step of variable === undefined ? steps : steps.slice(1))
    shape = INDEX.test(step) ? shape.item(Number(step)) : shape.property(step, { isLoose, isNeeded });
  return shape;
}

/** The list of the innermost loop. */
function listAround(scope: ShapeScope): DataShape | undefined {
  for (let at: ShapeScope | undefined = scope; at !== undefined; at = at.outer)
    if (at.list !== undefined) return at.list;
  return undefined;
}

function variableOf({ steps: [first = ''], variable }: Read, scope: ShapeScope) {
  for (let at: ShapeScope | undefined = scope; at !== undefined; at = at.outer) {
    const shape =
      at.variables.get(first) ?? (variable === undefined ? undefined : at.variables.get(variable));
    if (shape !== undefined) return { shape, depth: at.depth };
  }
  return undefined;
}

function mentionOutside(name: string | undefined, scope: ShapeScope): void {
  for (let at = scope.outer; at !== undefined && name !== undefined; at = at.outer)
    if (at.shape !== scope.shape) at.shape.mention(name);
}

function valueScope(scope: ShapeScope): ShapeScope {
  let at = scope;
  while (at.isBranch && at.outer !== undefined) at = at.outer;
  return at;
}

/** The scope in which the innermost value was opened. */
function ownerOf(scope: ShapeScope): ShapeScope {
  let owner = scope;
  while (owner.outer?.shape === scope.shape) owner = owner.outer;
  return owner;
}

/** Notes every path that an expression reads, and for what its result is needed. Returns the shape of its main value. */
export function readShape(expression: Expression, scope: ShapeScope, need?: Need): DataShape | undefined {
  let main: DataShape | undefined;
  const { names, isLoose } = namesIn(expression);
  for (const name of names) mention(name, scope);
  for (const read of reads(expression)) {
    const list = read.isOfLoop ? listAround(scope) : undefined;
    list?.need('list');
    if (list !== undefined) continue;
    const shape = shapeAt(read, scope, isLoose);
    if (read.keys === undefined) note(shape, read, read.isResult ? need : 'text');
    else
      shape.map(
        read.keys.map((key) => shapeAt(key, scope, isLoose)),
        read.hint,
      );
    if (read.isResult) main ??= shape;
  }
  return main;
}

function note(shape: DataShape, { hint, items, sample }: Read, need: Need | undefined): void {
  if (sample !== undefined && !shape.samples.includes(sample)) shape.samples.push(sample);
  if (hint === 'array') {
    noteItems(shape.items('list'), items);
    if (need === 'text') shape.need('whole');
  } else if (hint === 'boolean') shape.need('test');
  else if (hint !== 'any') shape.need(hint);
  else if (need !== undefined) shape.need(need);
}

function noteItems(item: DataShape, facts: Read['items'] = []): void {
  for (const { steps, hint, sample } of facts) {
    let shape = item;
    for (const step of steps)
      shape = INDEX.test(step) ? shape.item(Number(step)) : shape.property(step, { isNeeded: true });
    shape.need(hint === 'number' || hint === 'sum' ? hint : hint === 'boolean' ? 'test' : 'text');
    if (sample !== undefined) shape.samples.push(sample);
  }
}

/** Notes that an expression may read properties, without asking for them. */
export function mentionNames(expression: Expression, scope: ShapeScope): void {
  for (const name of namesIn(expression).names) mention(name, scope);
  for (const {
    steps: [first],
  } of reads(expression))
    if (first !== undefined) mention(first, scope);
}

function mention(name: string, scope: ShapeScope): void {
  for (let at: ShapeScope | undefined = scope; at !== undefined; at = at.outer) at.shape.mention(name);
}
