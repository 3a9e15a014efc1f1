import { malformed } from '../pdf-error.ts';
import { Costs } from '../read/bounds.ts';
import { type FoundString, type LengthOf, ObjectParser } from '../read/object-parser.ts';
import { type Decipher, type Dict, type PdfValue, Stream } from '../read/values.ts';
import type { Security } from '../security/security.ts';

/** A part of a source to be replaced with another text. */
interface Edit {
  start: number;
  end: number;
  text: string;
}

const direct = (value: PdfValue): PdfValue => value;
const lengthOf = (value: PdfValue): number | undefined => (typeof value === 'number' ? value : undefined);

/** Returns `source` between `start` and `end` with edits, latin1. The edits do not overlap. */
function edited(source: Buffer, start: number, end: number, edits: readonly Edit[]): string {
  let text = '';
  let from = start;
  for (const edit of [...edits].sort((a, b) => a.start - b.start)) {
    text += source.toString('latin1', from, edit.start) + edit.text;
    from = edit.end;
  }
  return text + source.toString('latin1', from, end);
}

const recoded = (strings: readonly FoundString[], change: (bytes: Buffer) => Buffer): Edit[] =>
  strings.map(({ value, start, end }) => ({ start, end, text: `<${change(value.bytes).toString('hex')}>` }));

/** Returns the text of a value from `start` to `end` with its strings decrypted, latin1. */
export function plainText(
  source: Buffer,
  start: number,
  end: number,
  decipher: Decipher | undefined,
): string {
  if (!decipher) return source.toString('latin1', start, end);
  const strings: FoundString[] = [];
  new ObjectParser(source, start, new Costs(), { strings }).value();
  return edited(source, start, end, recoded(strings, decipher));
}

/** Returns the same dictionary without encryption, in a source of its own. */
export function plainDict(dict: Dict): Dict {
  if (!dict.decipher) return dict;
  const text = Buffer.from(plainText(dict.source, dict.start, dict.end, dict.decipher), 'latin1');
  return new ObjectParser(text, 0, new Costs()).value() as Dict;
}

/**
 * Encrypts the strings and the stream of a new object's value. Bytes before its first string stay where they are. `value` is
 * well-formed and has its stream's length.
 */
export function encryptObject(value: Buffer, num: number, gen: number, security: Security): Buffer {
  return writtenObject({ source: value, start: 0, lengthOf }, { num, gen }, security);
}

/** An object in the bytes of a file that is not encrypted, and how to find the length of its stream. */
export interface PlainObject {
  source: Buffer;
  start: number;
  lengthOf: LengthOf;
}

/** Returns the bytes of an object for a new place, encrypted if there is an encryption. Its stream has a direct length. */
export function writtenObject(
  { source, start, lengthOf }: PlainObject,
  { num, gen }: { num: number; gen: number },
  security: Security | undefined,
): Buffer {
  const strings: FoundString[] = [];
  const parser = new ObjectParser(source, start, new Costs(), security && { strings });
  const parsed = parser.valueOrStream(lengthOf);
  const cipher = security?.strings(num, gen);
  const edits = cipher ? recoded(strings, (bytes) => cipher.encrypt(bytes)) : [];
  if (!(parsed instanceof Stream))
    return Buffer.from(edited(source, start, parser.position, edits), 'latin1');
  const { dict } = parsed;
  const data = security ? security.stream(num, gen, dict, direct).encrypt(parsed.data) : parsed.data;
  const length = dict.entries.get('Length');
  if (!length) throw malformed('a stream has no length');
  edits.push({ start: length.start, end: length.end, text: ` ${data.length} ` });
  return Buffer.concat([
    Buffer.from(`${edited(source, start, dict.end, edits)}\nstream\n`, 'latin1'),
    data,
    Buffer.from('\nendstream', 'latin1'),
  ]);
}
