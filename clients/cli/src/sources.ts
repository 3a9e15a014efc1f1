import { createReadStream, openAsBlob, type Stats } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import { encodingOf, type TextSource, textOf } from '@scriptorium/client/tables';
import { CliError } from './cli-error.ts';
import type { Call } from './command.ts';
import { type Io, say } from './io.ts';

/** The name that stands for standard input or output. */
export const STANDARD = '-';

/** A file to send, or standard input. */
export interface SentFile {
  /** As the user wrote it. */
  name: string;
  /** The content of a file is read when it is sent. */
  file: File;
  /** Where the file really is, if it is one. */
  path?: string;
}

/** Opens a document. Throws FILE_TOO_LARGE before anything is sent, if it has more than `bytesMax` bytes. */
export async function sourceOf(io: Io, name: string, bytesMax: number): Promise<SentFile> {
  if (name === STANDARD) return { name, file: await readStream(io.stdin, 'standard input', bytesMax) };
  const found = await statOf(name);
  // A pipe or a device has no size.
  if (!found.isFile()) return { name, file: await readStream(createReadStream(name), name, bytesMax) };
  if (found.size > bytesMax) throw tooLarge(name, bytesMax, found.size);
  const blob = await openAsBlob(name).catch((error) => {
    throw new CliError('FILE_UNREADABLE', `${name} cannot be read (${error.code}).`, error);
  });
  return { name, file: new File([blob], basename(name)), path: await realpath(name) };
}

export const tooLarge = (name: string, bytesMax: number, bytes?: number): CliError =>
  new CliError(
    'FILE_TOO_LARGE',
    `${name} has ${bytes === undefined ? 'more than' : `${bytes} bytes; the service takes`} ${bytesMax} bytes.`,
  );

async function statOf(name: string): Promise<Stats> {
  const found = await stat(name).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new CliError('FILE_NOT_FOUND', `The file ${name} does not exist.`);
    throw new CliError('FILE_UNREADABLE', `${name} cannot be read (${error.code}).`, error);
  });
  if (found.isDirectory()) throw new CliError('FILE_UNREADABLE', `${name} is a folder.`);
  return found;
}

async function readStream(stream: Readable, name: string, bytesMax: number): Promise<File> {
  const chunks: Buffer<ArrayBuffer>[] = [];
  let bytes = 0;
  try {
    for await (const chunk of stream) {
      bytes += chunk.length;
      if (bytes > bytesMax) throw tooLarge(name, bytesMax);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError('FILE_UNREADABLE', `${name} cannot be read (${(error as Error).message}).`, error);
  }
  return new File(chunks, '');
}

/** A text of a file, or of standard input. */
async function textSourceOf({ stdin }: Io, name: string): Promise<TextSource> {
  if (name === STANDARD) return { name: 'standard input', open: () => stdin, isOnce: true };
  await statOf(name);
  const isJson = /\.(json|jsonl|ndjson)$/i.test(name);
  return { name, open: () => createReadStream(name), isJson };
}

/** Finds the encoding of a text, and says so if it is a guess. */
export async function encodingIn(io: Io, name: string, given?: string): Promise<string> {
  const { encoding, isGuess } = await encodingOf(await textSourceOf(io, name), given);
  if (isGuess) say(io.stderr, `${name} is read as ${encoding}. --encoding names another encoding.`);
  return encoding;
}

/** The text of a file, or of standard input, in parts. */
export const textIn = async (io: Io, name: string, encoding: string): Promise<AsyncGenerator<string>> =>
  textOf(await textSourceOf(io, name), encoding);

const JSON_CHARS_MAX = 64 * 1024 * 1024;

/** Reads JSON from a file or standard input. */
export async function readJson(io: Io, name: string, encoding?: string): Promise<unknown> {
  let json = '';
  for await (const part of await textIn(io, name, await encodingIn(io, name, encoding))) {
    json += part;
    if (json.length > JSON_CHARS_MAX) throw tooLarge(name, JSON_CHARS_MAX);
  }
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new CliError('DATA_INVALID', `${name} is not JSON: ${(error as Error).message}.`);
  }
}

/** Reads a JSON object from a file or standard input. */
export async function readObject(io: Io, name: string): Promise<Record<string, unknown>> {
  const value = await readJson(io, name);
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw new CliError('DATA_INVALID', `${name} is not a JSON object.`);
}

/** Returns the name after -d. Throws USAGE if it is missing, or also that of the template. */
export function dataNameOf(call: Call, template: string): string {
  const data = call.text('data');
  if (data === undefined) throw new CliError('USAGE', 'Name the data with -d.');
  if (data === template) throw new CliError('USAGE', 'The template and the data are the same file.');
  return data;
}

/** The name of a file without its folder and its extension; `document` for standard input. */
export const stemOf = (name: string): string =>
  name === STANDARD ? 'document' : basename(name).replace(/(?<=.)\.[^.]*$/, '');

const EXTENSION = /\.(\w+)$/;

/**
 * Returns the format of a result: that of `--to`, or the one that the name after -o ends in. Throws USAGE if they differ.
 * `formats` are those that the service can make.
 */
export function formatFor(call: Call, formats: readonly string[]): string | undefined {
  const to = call.text('to');
  const extension = EXTENSION.exec(call.text('output') ?? '')?.[1]?.toLowerCase();
  const named = formats.find((format) => format === extension);
  if (to !== undefined && named !== undefined && to !== named)
    throw new CliError('USAGE', `The name after -o ends in .${named}, but --to is ${to}.`);
  return to ?? named;
}
