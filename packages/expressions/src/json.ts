/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

const IDENTIFIER = /^[\p{L}_$][\p{L}\p{N}\p{M}_$]*$/u;

/** One step of a path: a key of an object, or an index of an array. */
export interface Step {
  readonly key: string;
  /** The index that the key is in an array; negative from the end; `undefined` for other keys. */
  readonly index: number | undefined;
  /** The step as it continues a path: `.name`, `[3]`, `["first name"]`. */
  readonly suffix: string;
}

export function stepOf(key: string): Step {
  const index = /^-?\d{1,9}$/.test(key) ? Number(key) : undefined;
  const suffix =
    index !== undefined ? `[${key}]` : IDENTIFIER.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
  return { key, index, suffix };
}

/**
 * An own property of an object, an item of an array, a character of a text, or the `length` of an array or text.
 * Undefined for all else: what JavaScript objects inherit, such as `constructor`, does not exist here.
 */
export function stepInto(value: Json | undefined, { key, index }: Step): Json | undefined {
  if (typeof value === 'object' && value !== null) {
    if (!isArray(value)) return Object.hasOwn(value, key) ? value[key] : undefined;
    if (index !== undefined) return value[index < 0 ? value.length + index : index];
    return key === 'length' ? value.length : undefined;
  }
  if (typeof value !== 'string') return undefined;
  return index === undefined ? (key === 'length' ? value.length : undefined) : characterAt(value, index);
}

const looseKeys = new WeakMap<object, ReadonlyMap<string, string>>();

/**
 * The step of the own property that a merge field of Word names. Case does not matter, and `_` stands for every sign that names
 * of fields cannot have. A property with the exact name comes first.
 */
export function looseStep(value: Json | undefined, step: Step): Step {
  if (typeof value !== 'object' || value === null || isArray(value) || Object.hasOwn(value, step.key))
    return step;
  let keys = looseKeys.get(value);
  if (keys === undefined) {
    keys = new Map(
      Object.keys(value)
        .toReversed()
        .map((key) => [fieldName(key), key]),
    );
    looseKeys.set(value, keys);
  }
  const key = keys.get(fieldName(step.key));
  return key === undefined ? step : stepOf(key);
}

/** A name as Word compares those of merge fields. */
export function fieldName(key: string): string {
  return key.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '_');
}

/** The character at an index; from the end if it is negative. No character has more than two code units. */
function characterAt(text: string, index: number): string | undefined {
  return index < 0 ? [...text.slice(2 * index)].at(index) : [...text.slice(0, 2 * (index + 1))][index];
}

/** The value at the end of some steps, which are separated by dots in a text: `address.city`, `0.name`. */
export function followPath(value: Json | undefined, path: string): Json | undefined {
  if (path === '' || path === '.') return value;
  return stepsOf(path).reduce<Json | undefined>(stepInto, value);
}

const STEPS_KNOWN_MAX = 1000;
const knownSteps = new Map<string, readonly Step[]>();

function stepsOf(path: string): readonly Step[] {
  const known = knownSteps.get(path);
  if (known !== undefined) return known;
  const steps = path.replace(/^\./, '').split('.').map(stepOf);
  if (knownSteps.size >= STEPS_KNOWN_MAX) knownSteps.clear();
  knownSteps.set(path, steps);
  return steps;
}

export function isArray(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** Null, missing, "", [] and {}. */
export function isEmpty(value: Json | undefined): boolean {
  if (value === null || value === undefined || value === '') return true;
  return typeof value === 'object' && (isArray(value) ? value.length === 0 : Object.keys(value).length === 0);
}

/** False, null, missing, 0, "" and [] are false, as in docxtemplater; everything else is true, {} too. */
export function isTruthy(value: Json | undefined): boolean {
  return isArray(value) ? value.length > 0 : Boolean(value);
}
