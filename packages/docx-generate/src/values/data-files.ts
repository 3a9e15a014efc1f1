import { type FieldIssue, TemplateError } from '@scriptorium/docx-template/error';
import type { ImagePlace } from '@scriptorium/docx-template/fields';
import type { Json } from '@scriptorium/expressions/expression';
import type { RequestedDocument } from './document.ts';
import { type KindOfValue, kindOf } from './kinds.ts';
import { invalidValue, issuesOf, type JsonObject, pathTo } from './value-kind.ts';

/** Images in one request, the same one counted each time. */
const IMAGES_MAX = 100_000;
const ISSUES_MAX = 100;

/** An object or list of the data, and how to get there. */
interface Visited {
  value: JsonObject | readonly Json[];
  key: string | number;
  outer: Visited | undefined;
}

/**
 * Lists every value with a kind that is not what its kind needs. At most 100. `path` is that of the data.
 *
 * @example
 * valueIssues({ logo: { $image: 'logo.png', width: -1 } }).map(({ field }) => field) // ['data.logo']
 */
export function valueIssues(data: Json, path = 'data'): FieldIssue[] {
  const issues: FieldIssue[] = [];
  for (const visited of objectsOf(data, path)) {
    issues.push(...ownIssues(visited));
    if (issues.length >= ISSUES_MAX) return issues.slice(0, ISSUES_MAX);
  }
  return issues;
}

function ownIssues(visited: Visited): FieldIssue[] {
  try {
    const found = kindAt(visited);
    if (found === undefined) return [];
    const parsed = found.kind.requested.safeParse(found.value);
    return parsed.success ? [] : issuesOf(parsed.error, found.path);
  } catch (error) {
    if (error instanceof TemplateError && error.details !== undefined) return error.details;
    throw error;
  }
}

/**
 * The data URIs and addresses of the images in the data, by the path of each. The data must have no `valueIssues`. Throws
 * TemplateError VALIDATION_ERROR if there are too many.
 */
export function imagesOfData(data: Json, path = 'data'): Map<string, string> {
  const images = new Map<string, string>();
  for (const { path: at, source, isDocument } of sourcesOf(data, path)) {
    if (!isDocument && typeof source === 'string' && source !== '') images.set(at, source);
    if (images.size > IMAGES_MAX) throw invalidValue(path, `may have at most ${IMAGES_MAX} images`);
  }
  return images;
}

/** The documents in the data, by the path of each. The data must have no `valueIssues`. */
export function documentsOfData(data: Json, path = 'data'): Map<string, RequestedDocument> {
  const documents = new Map<string, RequestedDocument>();
  for (const { path: at, source, isDocument } of sourcesOf(data, path))
    if (isDocument) documents.set(at, source as RequestedDocument);
  return documents;
}

/**
 * The data as a worker gets it: with the places of the images and documents instead of what names them. The data itself stays. Throws if
 * one has no place.
 */
export function withPlaces(data: Json, places: ReadonlyMap<string, ImagePlace>, path = 'data'): Json {
  const copies = new Map<Visited, JsonObject | Json[]>();
  const copyOf = (visited: Visited): object => {
    const known = copies.get(visited);
    if (known !== undefined) return known;
    const copy = isList(visited.value) ? [...visited.value] : { ...visited.value };
    copies.set(visited, copy);
    if (visited.outer !== undefined) put(copyOf(visited.outer), visited.key, copy);
    return copy;
  };
  let root: Visited | undefined;
  for (const { visited, within, key, path: at, source } of sourcesOf(data, path)) {
    const place = source === '' || source === null ? null : places.get(at);
    if (place === undefined) throw new Error('an image or document was not loaded');
    let holder = copyOf(visited) as Record<string, object>;
    for (const name of within) {
      const copy = { ...holder[name] } as Record<string, object>;
      put(holder, name, copy);
      holder = copy;
    }
    put(holder, key, place);
    root ??= outermost(visited);
  }
  return root === undefined ? data : (copies.get(root) as Json);
}

/** Also for a name such as `__proto__`, which an assignment would not add. */
function put(holder: object, key: string | number, value: unknown): void {
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
}

function outermost(visited: Visited): Visited {
  let at = visited;
  while (at.outer !== undefined) at = at.outer;
  return at;
}

interface NamedSource {
  visited: Visited;
  /** The names that lead from the object to the holder of the image or document. */
  within: readonly string[];
  key: string;
  path: string;
  source: Json | undefined;
  isDocument: boolean;
}

function* sourcesOf(data: Json, path: string): Generator<NamedSource> {
  for (const visited of objectsOf(data, path)) {
    const found = kindAt(visited);
    if (found === undefined) continue;
    const { image, within, isDocument } = found;
    if (isDocument) {
      const [key = ''] = within;
      yield { visited, within: [], key, path: found.path, source: found.value as Json, isDocument };
    }
    if (image === undefined || !Object.hasOwn(found.value as object, image)) continue;
    const source = (found.value as Record<string, Json>)[image];
    yield { visited, within, key: image, path: pathTo(found.path, image), source, isDocument };
  }
}

function kindAt(visited: Visited): (KindOfValue & { path: string }) | undefined {
  if (isList(visited.value) || !mayHaveKind(visited.value)) return undefined;
  const path = pathOf(visited);
  const found = kindOf(visited.value, path);
  return found && { ...found, path: [path, ...found.within].join('.') };
}

/** Paths are long, and most objects need none. */
function mayHaveKind(value: JsonObject): boolean {
  for (const name in value) if (name.startsWith('$') || name === '_type') return true;
  return false;
}

function pathOf(visited: Visited): string {
  const keys: (string | number)[] = [];
  for (let at: Visited | undefined = visited; at !== undefined; at = at.outer) keys.push(at.key);
  const [first = '', ...others] = keys.reverse();
  return others.reduce<string>(pathTo, String(first));
}

/** The objects and lists of the data, however deep. What is inside a value of a kind is not ordinary data. */
function* objectsOf(data: Json, path: string): Generator<Visited> {
  const waiting: Visited[] = [];
  const enter = (value: Json | undefined, key: string | number, outer: Visited | undefined) => {
    if (typeof value === 'object' && value !== null) waiting.push({ value, key, outer });
  };
  enter(data, path, undefined);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    yield next;
    const { value } = next;
    if (isList(value)) for (let at = value.length - 1; at >= 0; at--) enter(value[at], at, next);
    else if (!isOfKind(value)) for (const key of Object.keys(value).reverse()) enter(value[key], key, next);
  }
}

function isOfKind(value: JsonObject): boolean {
  for (const name in value) if (name.startsWith('$')) return true;
  return false;
}

function isList(value: JsonObject | readonly Json[]): value is readonly Json[] {
  return Array.isArray(value);
}
