import { malformed } from '@scriptorium/pdf/error';
import { Dict, type PdfDocument, PdfString, type PdfValue, Ref } from '@scriptorium/pdf/read';
import { editDict, plainText, type Update } from '@scriptorium/pdf/update';

const DEPTH_MAX = 32;

/** An entry to insert: an ASCII key and its serialized value. */
export interface NamedValue {
  key: string;
  value: string;
}

/**
 * Inserts a value under a new key into a name tree (ISO 32000-2, 7.9.6), in the leaf that keeps the order. The update
 * replaces nodes that are separate objects. Returns the new text of the root, or undefined if the root was replaced so.
 */
export function insertName(
  update: Update,
  root: Dict,
  rootRef: Ref | undefined,
  named: NamedValue,
): string | undefined {
  const text = changedNode(update, root, named, true, 0);
  if (!rootRef) return text;
  update.replace(rootRef, text);
  return undefined;
}

function changedNode(update: Update, node: Dict, named: NamedValue, isRoot: boolean, depth: number): string {
  if (depth > DEPTH_MAX) throw malformed('a name tree is nested too deeply');
  const { document } = update;
  const kids = document.get(node, 'Kids');
  const changes: Record<string, string> = {};
  if (Array.isArray(kids) && kids.length > 0) changeKid(update, kids, named, depth);
  else changes.Names = namesWith(document, node, named);
  if (!isRoot) changes.Limits = limitsWith(document, node, named.key);
  return editDict(node, changes);
}

/** Changes the kid that the key belongs to: the first whose range does not end before it, or the last one. */
function changeKid(update: Update, kids: readonly PdfValue[], named: NamedValue, depth: number): void {
  const { document } = update;
  const key = Buffer.from(named.key, 'latin1');
  const above = kids.findIndex((kid) => {
    const last = limitsOf(document, document.resolve(kid))?.[1];
    return last !== undefined && Buffer.compare(key, last) <= 0;
  });
  const index = above === -1 ? kids.length - 1 : above;
  const kid = kids[index] ?? null;
  const node = document.resolve(kid);
  if (!(node instanceof Dict) || !(kid instanceof Ref))
    throw malformed('a name tree has a node that is not an object');
  update.replace(kid, changedNode(update, node, named, false, depth + 1));
}

function limitsOf(document: PdfDocument, node: PdfValue): [Buffer, Buffer] | undefined {
  const limits = node instanceof Dict ? document.get(node, 'Limits') : null;
  const [first, last] = Array.isArray(limits) ? limits.map((item) => document.resolve(item)) : [];
  return first instanceof PdfString && last instanceof PdfString ? [first.bytes, last.bytes] : undefined;
}

function limitsWith(document: PdfDocument, node: Dict, key: string): string {
  const name = Buffer.from(key, 'latin1');
  const [first, last] = limitsOf(document, node) ?? [name, name];
  const lower = Buffer.compare(name, first) < 0 ? name : first;
  const upper = Buffer.compare(name, last) > 0 ? name : last;
  return `[<${lower.toString('hex')}><${upper.toString('hex')}>]`;
}

/** Returns the names of a leaf with the new one in its place; the others keep their text. */
function namesWith(document: PdfDocument, node: Dict, { key, value }: NamedValue): string {
  const names = document.get(node, 'Names');
  const items = Array.isArray(names) ? names : [];
  const name = Buffer.from(key, 'latin1');
  const texts: string[] = [];
  let isPlaced = false;
  for (let index = 0; index + 1 < items.length; index += 2) {
    const other = document.resolve(items[index] ?? null);
    if (!(other instanceof PdfString)) throw malformed('a name tree has a key that is not a string');
    if (!isPlaced && Buffer.compare(name, other.bytes) < 0) {
      texts.push(`<${name.toString('hex')}>${value}`);
      isPlaced = true;
    }
    texts.push(`<${other.bytes.toString('hex')}>${valueText(items[index + 1] ?? null)}`);
  }
  if (!isPlaced) texts.push(`<${name.toString('hex')}>${value}`);
  return `[${texts.join('')}]`;
}

/** File specifications may also be direct values in the tree. */
function valueText(value: PdfValue): string {
  if (value instanceof Ref) return value.toString();
  if (value instanceof Dict) return plainText(value.source, value.start, value.end, value.decipher);
  throw malformed('a name tree has a value that is not a file');
}
