import { TextDecoder } from 'node:util';
import { CliError } from '../cli-error.ts';
import type { Io } from '../io.ts';
import { openText, STANDARD } from '../sources.ts';

/** Characters that two parts of a text share, so that a word at their border is seen whole. */
const WORD_CHARS = 40;
/**
 * What texts in Windows-1252 do not have, and texts in another encoding look like: signs in words or at their ends, only
 * letters with marks, and control characters.
 */
const NOT_WESTERN =
  /\p{L}[£¥¦¬¯±³¶¹¼¾¿]\p{L}|[£¥¦¬¯±³¹¼¾]\p{Ll}{2}|\p{L}{2}[¯±¹](?!\p{N})|[À-ÖØ-öø-ÿ]{3}|[\u0080-\u009f]/u;

/** A decoder that throws for bytes that the encoding does not have. Throws USAGE for an unknown encoding. */
function decoderFor(encoding: string): TextDecoder {
  try {
    return new TextDecoder(encoding, { fatal: true });
  } catch (error) {
    throw new CliError('USAGE', `${encoding} is not an encoding, such as utf-8 or windows-1250.`, error);
  }
}

/** The text of a file or of standard input, in parts. Throws DATA_INVALID for bytes that the encoding does not have. */
export async function* textOf(io: Io, name: string, encoding: string): AsyncGenerator<string> {
  const decoder = decoderFor(encoding);
  let lines = 1;
  const decode = (chunk?: Buffer): string => {
    try {
      const text = chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
      for (const character of text) if (character === '\n') lines++;
      return text;
    } catch (error) {
      const what = `${name} is not ${encoding.toUpperCase()}, in line ${lines} or later`;
      throw new CliError(
        'DATA_INVALID',
        `${what}. Name another encoding with --encoding, or save it as UTF-8.`,
        error,
      );
    }
  };
  for await (const chunk of await openText(io, name)) yield decode(chunk as Buffer);
  yield decode();
}

/**
 * The encoding of a table: the one that the user named, that of its first bytes, UTF-8, or Windows-1252 if the text looks
 * so. Standard input can be read only once, so that it must be UTF-8. Throws DATA_INVALID for all else.
 */
export async function encodingOf(io: Io, name: string, given: string | undefined): Promise<string> {
  if (given !== undefined) return decoderFor(given).encoding;
  if (name === STANDARD) return 'utf-8';
  const marked = await markedEncoding(io, name);
  if (marked !== undefined) return marked;
  if (await fits(textOf(io, name, 'utf-8'), () => true)) return 'utf-8';
  if (await fits(textOf(io, name, 'windows-1252'), (text) => !NOT_WESTERN.test(text))) return 'windows-1252';
  throw new CliError(
    'DATA_INVALID',
    `${name} is neither UTF-8 nor Windows-1252. Name its encoding with --encoding, or save it as UTF-8.`,
  );
}

async function markedEncoding(io: Io, name: string): Promise<string | undefined> {
  for await (const chunk of await openText(io, name)) {
    const [first, second] = chunk as Buffer;
    if (first === 0xff && second === 0xfe) return 'utf-16le';
    return first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
  }
  return undefined;
}

/** Whether a text can be decoded, and each part of it passes. */
async function fits(parts: AsyncIterable<string>, passes: (text: string) => boolean): Promise<boolean> {
  let before = '';
  try {
    for await (const part of parts) {
      if (!passes(before + part)) return false;
      before = part.slice(-WORD_CHARS);
    }
    return true;
  } catch (error) {
    if (error instanceof CliError && error.code === 'DATA_INVALID') return false;
    throw error;
  }
}

const DELIMITERS = [',', ';', '\t', '|'];
const HEAD_CHARS_MAX = 64 * 1024;

/** The delimiter that the first line has most often, outside of quotes, and the text from its start on. */
export async function withDelimiter(
  parts: AsyncGenerator<string>,
): Promise<{ delimiter: string; text: AsyncGenerator<string> }> {
  let head = '';
  for (let next = await parts.next(); next.done !== true; next = await parts.next()) {
    head += next.value;
    if (head.includes('\n') || head.length > HEAD_CHARS_MAX) break;
  }
  const [line = ''] = head.replace(/"[^"]*"/g, '').split(/\r?\n/);
  const counts = DELIMITERS.map((delimiter) => line.split(delimiter).length);
  const delimiter = DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
  async function* all() {
    yield head;
    yield* parts;
  }
  return { delimiter, text: all() };
}
