import type { Json } from '@scriptorium/expressions/expression';
import type { DataShape, Need } from './data-shape.ts';

type JsonSchema = Record<string, unknown>;

/** As deep as the data of a request may be. */
const LEVELS_MAX = 60;
/** Lists in lists of which an example has two items each. Deeper ones have one. */
const LISTS_MAX = 4;
const ITEMS_MAX = 100;
const ITEMS_IN_ALL_MAX = 5_000;
const TEXT_CHARS_MAX = 40;
/** A gray dot. */
const PNG =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==';

const SIDE = { type: 'number', exclusiveMinimum: 0 };
const IMAGE: JsonSchema = {
  type: 'object',
  properties: {
    $image: {
      type: 'object',
      properties: { source: { type: 'string' }, width: SIDE, height: SIDE, alt: { type: 'string' } },
      required: ['source'],
    },
  },
  required: ['$image'],
};
const CHART: JsonSchema = {
  type: 'object',
  properties: { $chart: { type: 'object' } },
  required: ['$chart'],
};
const TEXT: JsonSchema = { type: ['string', 'number'] };

interface Kind {
  need: Need;
  schema: JsonSchema;
  /** `text` is a text that suits the name of the property. */
  example(text: string): Json;
}

/** Kinds of values. The first one that a template needs decides: a number or a date can also be printed. */
const KINDS: readonly Kind[] = [
  { need: 'image', schema: IMAGE, example: () => ({ $image: { source: PNG, width: 48, height: 48 } }) },
  {
    need: 'datetime',
    schema: { type: 'string', format: 'date-time' },
    example: () => '2026-05-21T09:30:00Z',
  },
  { need: 'date', schema: { type: 'string', format: 'date' }, example: () => '2026-05-21' },
  { need: 'number', schema: { type: 'number' }, example: () => 12 },
  { need: 'sum', schema: { type: ['number', 'string'] }, example: () => 12 },
  {
    need: 'markup',
    schema: { type: 'string', contentMediaType: 'text/html' },
    example: (text) => `<p>${text.replace(/[<>&]/g, ' ')}</p>`,
  },
  { need: 'address', schema: { type: 'string', format: 'uri' }, example: () => 'https://example.com' },
  { need: 'chart', schema: { anyOf: [TEXT, CHART] }, example: (text) => text },
  { need: 'text', schema: TEXT, example: (text) => text },
  { need: 'test', schema: { type: 'boolean' }, example: () => true },
];
const SECTION: Kind = { need: 'section', schema: { type: ['boolean', 'array'] }, example: () => true };
const OTHER: Kind = { need: 'text', schema: TEXT, example: (text) => text };

/** JSON Schema (2020-12) of data that fills a template, and such data. */
export function describeData(shape: DataShape): { schema: JsonSchema; example: Json } {
  const schema = schemaOf(shape, 0, true);
  const isList = schema.type === 'array';
  const own = isList || schema.type === 'object' ? schema : { type: 'object' };
  const example = new Example().of(shape);
  return {
    schema: { $schema: 'https://json-schema.org/draft/2020-12/schema', ...own },
    example: typeof example === 'object' ? example : {},
  };
}

function schemaOf(shape: DataShape, level: number, isScope = false): JsonSchema {
  if (level >= LEVELS_MAX) return {};
  const list = (): JsonSchema => {
    const items = shape.usedItems;
    return { type: 'array', items: items === undefined ? {} : schemaOf(items, level + 1, true) };
  };
  switch (formOf(shape)) {
    case 'list':
      return list();
    case 'map':
      return { type: 'object', additionalProperties: schemaOf(shape.usedItems ?? shape, level + 1) };
    case 'object':
      return objectOf(shape, level, isScope);
    case 'section': {
      const object = propertiesOf(shape, true).length > 0 ? [objectOf(shape, level, true)] : [];
      return { anyOf: [list(), ...object, { type: ['boolean', 'string', 'number'] }] };
    }
    case 'items':
      return { ...list(), type: ['array', 'string'] };
    default: {
      const { choices, samples } = shape;
      if (choices !== undefined && choices.length > 0) return { enum: choices };
      const { need, schema } = kindOf(shape);
      const isOfPattern = need === 'date' && samples.some((sample) => typeof sample === 'string');
      return isOfPattern ? { type: 'string' } : schema;
    }
  }
}

function objectOf(shape: DataShape, level: number, isScope: boolean): JsonSchema {
  const all = propertiesOf(shape, isScope);
  const required = all.filter(([, { isNeeded }]) => isNeeded).map(([name]) => name);
  const properties = all.map(([name, property]) => [name, schemaOf(property.shape, level + 1)]);
  return {
    type: 'object',
    ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
    ...(required.length > 0 && { required }),
  };
}

/** What a value is: something that is shown, or what holds other values. */
function formOf(shape: DataShape): 'list' | 'map' | 'object' | 'section' | 'items' | 'value' {
  const { needs, usedItems } = shape;
  const hasTexts = usedItems?.isShown === true && !hasOwn(usedItems);
  // A loop over an object repeats for its names.
  if (needs.has('map') && (!needs.has('list') || areKeys(shape))) return 'map';
  if (needs.has('list')) return 'list';
  if (shape.isShown && (hasTexts || hasOwn(shape))) return 'value';
  if (hasOwn(shape)) return hasTexts ? 'list' : 'object';
  if (needs.has('item')) {
    if (shape.isShown) return 'value';
    return usedItems !== undefined && hasOwn(usedItems) ? 'list' : 'items';
  }
  if (usedItems !== undefined) return 'section';
  return needs.size === 0 && shape.properties.has('length') ? 'list' : 'value';
}

function areKeys({ keys, usedItems }: DataShape): boolean {
  return usedItems !== undefined && keys.includes(usedItems);
}

type Property = readonly [name: string, facts: { shape: DataShape; isNeeded: boolean }];

/** The properties that data can have. Lists and texts have a `length` of their own. */
function ownOf({ properties, needs }: DataShape): Property[] {
  const hasLength = needs.size > 0 || properties.size === 1;
  // What begins so is the kind of a value.
  return [...properties].filter(([name]) => !name.startsWith('$') && !(hasLength && name === 'length'));
}

function hasOwn(shape: DataShape): boolean {
  return ownOf(shape).length > 0;
}

/**
 * The properties of an object, with those of the object that a section opens. What is shown or repeated has no properties. The
 * object in which names are looked up has the values of its paths, such as `customer.name` beside `customer`.
 */
function propertiesOf(shape: DataShape, isScope: boolean): Property[] {
  const inner = shape.usedItems === undefined ? [] : ownOf(shape.usedItems);
  const own = [...inner, ...ownOf(shape)];
  return [
    ...new Map(isScope ? [...own, ...own.flatMap(([name, facts]) => besideOf(name, facts.shape))] : own),
  ];
}

/** The values of paths that lead through a value. */
function besideOf(path: string, shape: DataShape): Property[] {
  const form = formOf(shape);
  if (form === 'object')
    return ownOf(shape).flatMap(([name, inner]) => besideOf(`${path}.${name}`, inner.shape));
  if (form !== 'value' && form !== 'list') return [];
  const ofItems = [...(form === 'value' ? shape.indexes : [])].flatMap((index) =>
    ownOf(shape.usedItems ?? shape).flatMap((inner) => pathsOf(`${path}[${index}]`, inner)),
  );
  return [...ownOf(shape).flatMap((inner) => pathsOf(path, inner)), ...ofItems];
}

function pathsOf(path: string, [name, { shape, isNeeded }]: Property): Property[] {
  const whole = `${path}.${name}`;
  const form = formOf(shape);
  const own: Property[] = form === 'object' ? [] : [[whole, { shape, isNeeded }]];
  return form === 'section' ? own : [...own, ...ownOf(shape).flatMap((inner) => pathsOf(whole, inner))];
}

function kindOf({ needs }: DataShape): Kind {
  const kind = KINDS.find(({ need }) => needs.has(need));
  return kind ?? (needs.has('section') ? SECTION : OTHER);
}

interface At {
  level: number;
  /** Lists around. */
  lists: number;
}

/** Makes data of a shape. */
class Example {
  /** The values of each shape, and the objects whose properties have their names. */
  readonly #values = new Map<DataShape, Json[]>();
  #items = ITEMS_IN_ALL_MAX;
  readonly #maps: { shape: DataShape; object: Record<string, Json> }[] = [];

  of(shape: DataShape): Json {
    const data = this.#of(shape, '', { level: 0, lists: 0 }, true);
    for (const { shape: map, object } of this.#maps)
      for (const key of map.keys.flatMap((named) => this.#values.get(named) ?? []))
        object[String(key)] = scalarOf(map.usedItems ?? map, String(key));
    return data;
  }

  #of(shape: DataShape, name: string, at: At, isScope = false): Json {
    if (at.level >= LEVELS_MAX) return {};
    const inner = { ...at, level: at.level + 1 };
    switch (formOf(shape)) {
      case 'list':
      case 'section':
      case 'items':
        return this.#list(shape, name, { ...inner, lists: at.lists + 1 });
      case 'object':
        return Object.fromEntries(
          propertiesOf(shape, isScope).map(([key, property]) => [key, this.#of(property.shape, key, inner)]),
        );
      case 'map': {
        const names = areKeys(shape) ? [`${name} 1`, `${name} 2`] : [];
        const object = Object.fromEntries(names.map((own) => [own, scalarOf(shape.usedItems ?? shape, own)]));
        this.#maps.push({ shape, object });
        return object;
      }
      default: {
        const value = scalarOf(shape, name);
        const known = this.#values.get(shape);
        if (known === undefined) this.#values.set(shape, [value]);
        else known.push(value);
        return value;
      }
    }
  }

  #list({ usedItems, itemsMin }: DataShape, name: string, at: At): Json {
    const wanted = Math.min(ITEMS_MAX, Math.max(itemsMin, at.lists > LISTS_MAX ? 1 : 2));
    const count = wanted > this.#items ? 1 : wanted;
    this.#items -= count;
    return Array.from({ length: count }, (_, index) => {
      const item = `${name} ${index + 1}`;
      return usedItems === undefined ? textOf(item) : this.#of(usedItems, item, at, true);
    });
  }
}

function scalarOf(shape: DataShape, name: string): Json {
  const { samples, choices, itemsMin } = shape;
  if (choices !== undefined)
    return samples.find((sample) => choices.includes(String(sample))) ?? choices[0] ?? '';
  const kind = kindOf(shape);
  const example = kind.example(textOf(name).padEnd(itemsMin, '.'));
  const type = typeof example;
  const isPrinted = kind.need === 'text';
  return (
    samples.find((sample) => typeof sample === type || (isPrinted && typeof sample !== 'object')) ?? example
  );
}

/** A text for a property: its name in words. */
function textOf(name: string): string {
  const words = name.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').replace(/[\s_]+/g, ' ');
  return words.trim().slice(0, TEXT_CHARS_MAX).toWellFormed() || 'Text';
}
