import type { Json } from '@scriptorium/expressions/expression';
import { barcodeKind } from './barcode.ts';
import { chartKind } from './chart.ts';
import { documentKind } from './document.ts';
import { htmlKind } from './html.ts';
import { imageKind } from './image.ts';
import { linkKind } from './link.ts';
import { markdownKind } from './markdown.ts';
import { pageBreakKind } from './page-break.ts';
import { signatureKind } from './signature.ts';
import { invalidValue, isJsonObject, type JsonObject, type ValueKind } from './value-kind.ts';

/** Every kind of value. To add one: a file, and a line here. */
const KINDS: readonly ValueKind[] = [
  imageKind,
  linkKind,
  htmlKind,
  markdownKind,
  pageBreakKind,
  barcodeKind,
  chartKind,
  signatureKind,
  documentKind,
];

const BY_KEY = new Map(KINDS.map((kind) => [kind.key, kind]));
const DOLLAR = 36;

/** A value with its kind. */
export interface KindOfValue {
  kind: ValueKind;
  value: unknown;
  /** The names that lead from the object to `value`. Empty if the object itself has its properties. */
  within: readonly string[];
  /** The name of the property of `value` that the schema calls `kind.image`. */
  image: string | undefined;
  isDocument: boolean;
}

/**
 * The kind of an object: by its property `$image`, `$link`, …, or as easy-template-x has it, by `_type`. Undefined if it
 * is an ordinary object. Throws TemplateError VALIDATION_ERROR if it has an unknown kind, or two.
 */
export function kindOf(object: JsonObject, path: string): KindOfValue | undefined {
  let key: string | undefined;
  let count = 0;
  for (const name in object) {
    count++;
    if (name.charCodeAt(0) !== DOLLAR) continue;
    if (key !== undefined) throw invalidValue(path, `has two kinds: ${quote(key)} and ${quote(name)}`);
    key = name;
  }
  if (key === undefined) return typedKind(object);
  const kind = BY_KEY.get(key);
  if (kind === undefined) throw invalidValue(path, `has an unknown kind: ${quote(key)}`);
  if (count > 1) throw invalidValue(path, `must have no properties besides ${quote(key)}`);
  return { kind, value: object[key], within: [key], image: kind.image, isDocument: kind.isDocument === true };
}

/** The values of easy-template-x. Other objects may have a `_type` of their own. */
function typedKind(object: JsonObject): KindOfValue | undefined {
  const type = Object.hasOwn(object, '_type') ? object._type : undefined;
  if (type === 'image' && Object.hasOwn(object, 'source')) {
    const { source, width, height, altText } = object;
    const value = { source, ...defined({ width, height, alt: altText }) };
    return { kind: imageKind, value, within: [], image: 'source', isDocument: false };
  }
  if (type === 'link' && Object.hasOwn(object, 'target')) {
    const value = { href: object.target, ...defined({ text: object.text, tooltip: object.tooltip }) };
    return { kind: linkKind, value, within: [], image: undefined, isDocument: false };
  }
  if (type === 'chart' && (Object.hasOwn(object, 'series') || Object.hasOwn(object, 'title'))) {
    const { title, categories, series } = object;
    return {
      kind: chartKind,
      value: defined({ title, categories, series }),
      within: [],
      image: undefined,
      isDocument: false,
    };
  }
  return undefined;
}

function defined(properties: Record<string, Json | undefined>): Record<string, Json | undefined> {
  return Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined));
}

function quote(name: string): string {
  return `\`${name.slice(0, 100)}\``;
}

/** Whether a value is of a kind. True also for objects that try to be. */
export function hasKind(value: Json | undefined): boolean {
  if (!isJsonObject(value)) return false;
  for (const name in value) if (name.charCodeAt(0) === DOLLAR) return true;
  return typedKind(value) !== undefined;
}
