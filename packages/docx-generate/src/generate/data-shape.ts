import type { Expression, Json } from '@scriptorium/expressions/expression';
import { fieldName, namesIn, reads } from '@scriptorium/expressions/reads';
import { hasKind } from '../values/kinds.ts';
import { isJsonObject, pathTo } from '../values/value-kind.ts';

type JsonSchema = Record<string, unknown>;

/** What a template reads at one place of the data. */
export class DataShape {
  readonly #properties = new Map<string, DataShape>();
  #items: DataShape | undefined;
  #isText = false;
  #isCondition = false;
  #isList = false;
  #isIndexed = false;
  /** Names that an inner scope or another notation may find here. */
  readonly #mentioned = new Set<string>();
  /** The properties that merge fields name, by the name that Word compares. */
  readonly #loose = new Map<string, DataShape>();

  /** The place is printed. */
  print(): void {
    this.#isText = true;
  }

  /** The place decides whether something is shown. */
  test(): void {
    this.#isCondition = true;
  }

  /** The place is repeated. Returns the shape of an item. */
  repeat(): DataShape {
    this.#isList = true;
    this.#items ??= new DataShape();
    return this.#items;
  }

  /** An item of a list, or a character of a text. */
  item(): DataShape {
    this.#isIndexed = true;
    this.#items ??= new DataShape();
    return this.#items;
  }

  /** An item of a section, which may also be an object or a condition. */
  section(): DataShape {
    this.#isCondition = true;
    this.#items ??= new DataShape();
    return this.#items;
  }

  property(name: string, isLoose = false): DataShape {
    const known = this.#properties.get(name) ?? new DataShape();
    this.#properties.set(name, known);
    if (isLoose) this.#loose.set(fieldName(name), known);
    return known;
  }

  mention(name: string): void {
    this.#mentioned.add(name);
  }

  /** Calls `add` with the first path of each property that nothing reads. `pattern` is the path without indexes. */
  unusedIn(value: Json, path: string, add: (path: string, pattern: string) => void, pattern = path): void {
    const items = this.#usedItems;
    const isWhole = this.#isText || (this.#isUsed && items === undefined && this.#properties.size === 0);
    if (isWhole) return;
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries())
        items?.unusedIn(item, pathTo(path, index), add, `${pattern}[]`);
      return;
    }
    if (!isJsonObject(value) || hasKind(value) || this.#isList) return;
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
    const known = this.#properties.get(name) ?? this.#loose.get(fieldName(name));
    return this.#mentioned.has(name) ? 'whole' : known;
  }

  get #usedItems(): DataShape | undefined {
    const items = this.#items;
    return items === undefined || !items.#isUsed ? undefined : items;
  }

  get #isUsed(): boolean {
    return this.#isText || this.#isCondition || this.#isList || this.#isIndexed || this.#properties.size > 0;
  }

  /** JSON Schema (2020-12) of data with this shape. */
  schema(): JsonSchema {
    const shape = this.#usedItems;
    const items = shape?.schema();
    if (this.#isList) return { type: 'array', ...(items && { items }) };
    if (this.#isIndexed) {
      const isOfObjects = shape !== undefined && shape.#properties.size > 0;
      return { type: isOfObjects ? 'array' : ['array', 'string'], ...(items && { items }) };
    }
    if (items !== undefined)
      return {
        anyOf: [{ type: 'array', items }, this.#object(), { type: ['boolean', 'string', 'number', 'null'] }],
      };
    if (this.#properties.size > 0) return this.#object();
    return this.#isText || !this.#isCondition
      ? { type: ['string', 'number', 'boolean', 'object', 'null'] }
      : {};
  }

  #object(): JsonSchema {
    const properties = [...this.#properties].map(([name, shape]) => [name, shape.schema()]);
    return { type: 'object', ...(properties.length > 0 && { properties: Object.fromEntries(properties) }) };
  }
}

/** The shapes to which names lead. Variables are searched outwards. */
export interface ShapeScope {
  shape: DataShape;
  variables: ReadonlyMap<string, DataShape>;
  outer: ShapeScope | undefined;
}

/** The shape at a path. Names that nothing defines belong to the innermost scope. */
function shapeAt(
  steps: readonly string[],
  scope: ShapeScope,
  facts: { isOwn: boolean; isLoose: boolean; isRoot: boolean },
): DataShape {
  if (facts.isRoot && scope.outer !== undefined) return shapeAt(steps, scope.outer, facts);
  const [first, ...others] = facts.isOwn ? [undefined, ...steps] : steps;
  let shape = first === undefined ? scope.shape : startOf(first, scope, facts.isLoose);
  for (const step of others) {
    if (step !== undefined) shape = /^-?\d+$/.test(step) ? shape.item() : shape.property(step, facts.isLoose);
  }
  return shape;
}

function startOf(first: string, scope: ShapeScope, isLoose: boolean): DataShape {
  for (let at: ShapeScope | undefined = scope; at !== undefined; at = at.outer) {
    const known = at.variables.get(first);
    if (known !== undefined) return known;
  }
  for (let at = scope.outer; at !== undefined; at = at.outer)
    if (at.shape !== scope.shape) at.shape.mention(first);
  return scope.shape.property(first, isLoose);
}

/** Notes every path that an expression reads, and returns the shape of its main value. */
export function readShape(expression: Expression, scope: ShapeScope): DataShape | undefined {
  let main: DataShape | undefined;
  const { names, isLoose } = namesIn(expression);
  for (const name of names) mention(name, scope);
  for (const { steps, isOwn, isRoot = false, hint, isResult } of reads(expression)) {
    const shape = shapeAt(steps, scope, { isOwn, isLoose, isRoot });
    if (hint === 'array') shape.repeat();
    if (isResult) main ??= shape;
    else if (hint === 'boolean') shape.test();
    else shape.print();
  }
  return main;
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
