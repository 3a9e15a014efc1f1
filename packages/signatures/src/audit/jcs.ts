import { SignatureError } from '../signature-error.ts';

/** The gateway lets 16 levels through; a record read from a document may hold anything. */
const DEPTH_MAX = 64;
const PATH_CHARS_MAX = 200;

/**
 * The canonical form of a JSON value (RFC 8785): no blanks, members sorted by the UTF-16 units of their names (§3.2.3),
 * numbers and strings as ECMAScript writes them (§3.2.2). `path` is where the value stands in the request, such as
 * `auditTrail[3].data`. Members that are `undefined` are left out. Throws VALIDATION_ERROR, which names the path, for a text
 * with a lone surrogate, a number that is not finite, depth over 64 and what is no JSON.
 */
export function canonicalJson(value: unknown, path: string): string {
  return write(value, path, 0);
}

function write(value: unknown, path: string, depth: number): string {
  if (depth > DEPTH_MAX) refuse(path, `is nested deeper than ${DEPTH_MAX} levels`);
  if (typeof value === 'string') return writeText(value, path);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) refuse(path, 'is a number too large for JSON');
    return JSON.stringify(value);
  }
  if (value === null || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) {
    return `[${value.map((item, index) => write(item, `${path}[${index}]`, depth + 1)).join(',')}]`;
  }
  if (typeof value === 'object') return writeObject(value, path, depth);
  return refuse(path, 'is no JSON');
}

function writeObject(value: object, path: string, depth: number): string {
  const members: string[] = [];
  for (const [name, member] of Object.entries(value).sort(byName)) {
    if (member === undefined) continue;
    const place = path === '' ? name : `${path}.${name}`;
    members.push(`${writeText(name, place)}:${write(member, place, depth + 1)}`);
  }
  return `{${members.join(',')}}`;
}

/** Operators compare strings by UTF-16 units, whatever the locale. */
const byName = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1);

function writeText(text: string, path: string): string {
  if (!text.isWellFormed()) refuse(path, 'holds half of a surrogate pair');
  return JSON.stringify(text);
}

function refuse(path: string, issue: string): never {
  const field = path.slice(0, PATH_CHARS_MAX).toWellFormed();
  throw new SignatureError('VALIDATION_ERROR', `${field} ${issue}.`, { details: [{ field, issue }] });
}
