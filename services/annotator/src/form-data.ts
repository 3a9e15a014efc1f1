import type { ErrorDetail } from '@scriptorium/contracts/errors';
import { UNMATCHED_NAMED_MAX } from '@scriptorium/docx-generate/generation';
import type { FormFieldFacts } from '@scriptorium/pdf/forms';

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** A value of the data, by its key and what holds it. Paths are long, and most values need none. */
interface At {
  key: string | number;
  outer: At | undefined;
}

/** A field, and the value of the data for it: a text, or what `$image` has. */
export interface DataEntry {
  field: FormFieldFacts;
  value: Json;
  at: At;
}

export interface FormData {
  entries: DataEntry[];
  /** Properties that no field has the name of: all, and the first of them. */
  unused: { count: number; names: string[] };
  /** What no field takes. */
  issues: ErrorDetail[];
}

/** Names of fields by their parts: `form[0].name` has the parts `form`, `[0]` and `name`. */
export interface Names {
  field?: FormFieldFacts;
  inner: Map<string, Names>;
}

/**
 * Finds the fields of a form for data: nested names are joined by dots, and items of a list have their number in brackets. A list
 * of texts is the choices of a list box. Linear in the data; its depth is bounded by that of a body.
 */
export function readFormData(data: Json, fields: readonly FormFieldFacts[]): FormData {
  const found: FormData = { entries: [], unused: { count: 0, names: [] }, issues: [] };
  const taken = new Map<FormFieldFacts, At>();
  const refuse = (at: At, issue: string) => {
    if (found.issues.length < UNMATCHED_NAMED_MAX) found.issues.push({ field: pathOf(at), issue });
  };
  const take = (at: At, field: FormFieldFacts, value: Json) => {
    const before = taken.get(field);
    taken.set(field, at);
    if (before) refuse(at, `is for the field of \`${pathOf(before)}\``);
    else found.entries.push({ field, value, at });
  };
  const leave = (at: At) => {
    found.unused.count++;
    if (found.unused.names.length < UNMATCHED_NAMED_MAX) found.unused.names.push(pathOf(at));
  };
  const visit = (value: Json, at: At, names: Names | undefined): void => {
    const { field } = names ?? {};
    if (names === undefined) leave(at);
    else if (typeof value !== 'object' || value === null) field ? take(at, field, value) : leave(at);
    else if (isList(value)) {
      if (field?.kind !== 'list box')
        for (const [index, item] of value.entries()) enter(item, index, at, names);
      else if (value.every((item) => typeof item === 'string' && !item.includes('\n')))
        take(at, field, value.join('\n'));
      else refuse(at, 'must be a list of texts without line ends');
    } else {
      const kind = Object.keys(value).find((key) => key.startsWith('$'));
      if (kind === undefined) for (const [key, item] of Object.entries(value)) enter(item, key, at, names);
      else if (field === undefined) leave(at);
      else if (kind === '$image') take(at, field, value[kind] ?? null);
      else refuse(at, `is \`${kind.slice(0, KEY_CHARS_MAX)}\`, and a PDF form takes texts and \`$image\``);
    }
  };
  const enter = (value: Json, key: string | number, outer: At, names: Names): void =>
    visit(value, { key, outer }, innerOf(names, typeof key === 'number' ? [`[${key}]`] : partsOf(key)));
  visit(data, { key: 'data', outer: undefined }, namesOf(fields));
  return found;
}

const KEY_CHARS_MAX = 100;

/** The path of a value in the request: `data.items[0].name`. */
export function pathOf(at: At): string {
  const keys: (string | number)[] = [];
  for (let one: At | undefined = at; one; one = one.outer) keys.push(one.key);
  return keys
    .reverse()
    .reduce<string>(
      (path, key) => (typeof key === 'number' ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`),
      '',
    );
}

const isList = (value: object): value is readonly Json[] => Array.isArray(value);

export function namesOf(fields: readonly FormFieldFacts[]): Names {
  const root: Names = { inner: new Map() };
  for (const field of fields) {
    let names = root;
    for (const part of partsOf(field.name)) {
      const next = names.inner.get(part) ?? { inner: new Map() };
      names.inner.set(part, next);
      names = next;
    }
    names.field = field;
  }
  return root;
}

function innerOf(names: Names, parts: readonly string[]): Names | undefined {
  let found: Names | undefined = names;
  for (const part of parts) found = found?.inner.get(part);
  return found;
}

function partsOf(name: string): string[] {
  return name.split('.').flatMap((part) => {
    const numbers: string[] = [];
    let rest = part;
    for (let start = numberStart(rest); start > 0; start = numberStart(rest)) {
      numbers.push(rest.slice(start));
      rest = rest.slice(0, start);
    }
    return [rest, ...numbers.reverse()];
  });
}

/** Where the number in brackets at the end of a text starts; -1 without one. */
function numberStart(text: string): number {
  const start = text.endsWith(']') ? text.lastIndexOf('[') : -1;
  return start > 0 && /^\d+$/.test(text.slice(start + 1, -1)) ? start : -1;
}
