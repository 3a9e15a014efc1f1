import { SignatureError } from '../signature-error.ts';

/** The gateway accepts 16 levels; a record read from a document may have any depth. */
const DEPTH_MAX = 64;
const PATH_CHARS_MAX = 200;

/**
 * Returns the canonical form of a JSON value (RFC 8785). It has no white space, and members are sorted by the UTF-16 units of
 * their names (§3.2.3). Numbers and strings are as ECMAScript serializes them (§3.2.2). `path` is the value's position in the
 * request, such as `auditTrail[3].data`. Members that are `undefined` are left out. Throws VALIDATION_ERROR, which names the
 * path, for a lone surrogate, an infinite number or NaN, depth over 64, or a value that is not JSON.
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
  return refuse(path, 'is not JSON');
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

/** These operators compare strings by UTF-16 units, regardless of the locale. */
const byName = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1);

function writeText(text: string, path: string): string {
  if (!text.isWellFormed()) refuse(path, 'contains a lone surrogate');
  return JSON.stringify(text);
}

function refuse(path: string, issue: string): never {
  const field = path.slice(0, PATH_CHARS_MAX).toWellFormed();
  throw new SignatureError('VALIDATION_ERROR', `${field} ${issue}.`, { details: [{ field, issue }] });
}
