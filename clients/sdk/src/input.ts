import type { DocumentSource } from './api-types.gen.ts';
import { ScriptoriumError } from './error.ts';

/** A document: its bytes, a file of this machine (not in browsers), or a public address that the service fetches. */
export type Input = Blob | Uint8Array | ArrayBuffer | ReadableStream<Uint8Array> | URL | { path: string };

/** A document that is sent: its bytes with a name, or its address. */
export type SentDocument = { file: Blob; name: string } | { url: string; name: string };

/** Reads an input. Its bytes are read once, so that the request can be sent again. */
export async function sourceOf(input: Input): Promise<SentDocument> {
  if (input instanceof URL) return { url: input.href, name: lastOf(input.pathname) };
  if (input instanceof Blob) return { file: input, name: 'name' in input ? String(input.name) : '' };
  if ('path' in input) return { file: await readPath(input.path), name: lastOf(input.path) };
  if (input instanceof ReadableStream) return { file: await new Response(input).blob(), name: '' };
  return { file: new Blob([input as Uint8Array<ArrayBuffer>]), name: '' };
}

const lastOf = (path: string): string => path.split(/[\\/]/).at(-1) ?? '';

/** `R_OK` of POSIX. */
const READABLE = 4;

/** The module is named by a variable, so that bundlers for browsers leave it alone. */
async function readPath(path: string): Promise<Blob> {
  const module = 'node:fs';
  const { openAsBlob, promises } = (await import(/* @vite-ignore */ module)) as {
    openAsBlob(path: string): Promise<Blob>;
    promises: { access(path: string, mode: number): Promise<void> };
  };
  try {
    await promises.access(path, READABLE);
    return await openAsBlob(path);
  } catch (cause) {
    const error =
      (cause as { code?: string }).code === 'ENOENT'
        ? ({ code: 'FILE_NOT_FOUND', message: `The file ${path} does not exist.` } as const)
        : ({ code: 'FILE_UNREADABLE', message: `The file ${path} cannot be read.` } as const);
    throw new ScriptoriumError(error, { cause });
  }
}

/** Returns the extension of a name in lower case: `md` for `Notes.MD`. */
export const extensionOf = (name: string): string | undefined => /\.(\w+)$/.exec(name)?.[1]?.toLowerCase();

/** Returns the body of a request on a document: a form, or JSON for an address. */
export function bodyOf(source: SentDocument, request: object | undefined): unknown {
  if ('url' in source) return { ...request, document: { url: source.url } };
  const form = new FormData();
  if (request !== undefined) form.append('request', jsonPart(request));
  addFile(form, source);
  return form;
}

/** Returns the body of a request on several documents: a form, or JSON if one is an address. */
export async function mergeBodyOf(sources: readonly SentDocument[], options: object): Promise<unknown> {
  const form = new FormData();
  for (const source of sources) {
    if ('url' in source) return { documents: await Promise.all(sources.map(documentOf)), options };
    addFile(form, source);
  }
  form.append('options', jsonPart(options));
  return form;
}

/** JSON as bytes is read as UTF-8, and has no limit of its own in parsers. */
const jsonPart = (value: object) => new Blob([JSON.stringify(value)], { type: 'application/json' });

const addFile = (form: FormData, { file, name }: Extract<SentDocument, { file: Blob }>): void =>
  form.append('file', file, name || 'document');

/** A multiple of 3, so that the pieces can be joined. */
const CHUNK = 0x6000;

/** Returns a document for a JSON body. */
export async function documentOf(source: SentDocument): Promise<DocumentSource> {
  if ('url' in source) return { url: source.url };
  const bytes = new Uint8Array(await source.file.arrayBuffer());
  let text = '';
  for (let at = 0; at < bytes.length; at += CHUNK)
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + CHUNK)));
  return { base64: text };
}

/** Decodes a data URI of the service. */
export function bytesOf({ base64 }: { base64: string }): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64.slice(base64.indexOf(',') + 1)), (character) => character.charCodeAt(0));
}
