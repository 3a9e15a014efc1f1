import type { Expression } from '@scriptorium/expressions/expression';
import { reads } from '@scriptorium/expressions/reads';

type JsonSchema = Record<string, unknown>;

/** What a template reads at one place of the data. */
export class DataShape {
  readonly #properties = new Map<string, DataShape>();
  #items: DataShape | undefined;
  #isText = false;
  #isCondition = false;
  #isList = false;
  #isIndexed = false;

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

  property(name: string): DataShape {
    const known = this.#properties.get(name) ?? new DataShape();
    this.#properties.set(name, known);
    return known;
  }

  get #isUsed(): boolean {
    return this.#isText || this.#isCondition || this.#isList || this.#properties.size > 0;
  }

  /** JSON Schema (2020-12) of data with this shape. */
  schema(): JsonSchema {
    const shape = this.#items;
    const items = shape === undefined || !shape.#isUsed ? undefined : shape.schema();
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
function shapeAt(steps: readonly string[], isOwn: boolean, scope: ShapeScope): DataShape {
  const [first, ...others] = isOwn ? [undefined, ...steps] : steps;
  let shape = first === undefined ? scope.shape : startOf(first, scope);
  for (const step of others) {
    if (step !== undefined) shape = /^-?\d+$/.test(step) ? shape.item() : shape.property(step);
  }
  return shape;
}

function startOf(first: string, scope: ShapeScope): DataShape {
  for (let at: ShapeScope | undefined = scope; at !== undefined; at = at.outer) {
    const known = at.variables.get(first);
    if (known !== undefined) return known;
  }
  return scope.shape.property(first);
}

/** Notes every path that an expression reads, and returns the shape of its main value. */
export function readShape(expression: Expression, scope: ShapeScope): DataShape | undefined {
  let main: DataShape | undefined;
  for (const { steps, isOwn, hint, isResult } of reads(expression)) {
    const shape = shapeAt(steps, isOwn, scope);
    if (hint === 'array') shape.repeat();
    if (isResult) main ??= shape;
    else if (hint === 'boolean') shape.test();
    else shape.print();
  }
  return main;
}
