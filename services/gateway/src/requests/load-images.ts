import { createHash } from 'node:crypto';
import { AppError } from '@scriptorium/shared/errors';
import { FetchError } from '@scriptorium/shared/fetch/fetch-error';
import type { Fetcher } from '@scriptorium/shared/fetch/fetcher';
import { DETAILS_MAX, invalid } from '@scriptorium/shared/http/validation';
import { BASE64_ISSUE, decodeBase64, decodedBytes, parseDataUri } from './base64.ts';

/** Different addresses of one request, in all and at a time. */
const FETCHES_MAX = 100;
const FETCHES_AT_A_TIME_MAX = 8;

const FORM_ISSUE = 'must be a data URI `data:image/<format>;base64,…` or an http(s) address';
const BARE_ISSUE = 'looks like bare base64: put `data:image/<format>;base64,` before it';
const BARE_CHARS_MIN = 16;

export interface ImageLimits {
  /** Of one image, and of all images of a request together. */
  imageBytesMax: number;
  imagesBytesMax: number;
}

export interface ImageLoading extends ImageLimits {
  fetcher: Fetcher;
  signal: AbortSignal;
}

/** The image values of a request, data URIs and addresses, by the paths of the fields that have them. */
export type NamedImages = Map<string, string>;

/** Images one after another, and where that of a field lies, by the path of the field. */
export interface LoadedImages {
  bytes: Buffer;
  places: Map<string, { start: number; bytes: number }>;
}

/** A value, and the fields that have it. */
interface Named {
  value: string;
  paths: string[];
}

interface Failure {
  issue: string;
  cause?: unknown;
}

/**
 * Decodes and fetches the images of a request, each value once. What is in them is for a worker to judge. Throws
 * IMAGE_INVALID, which names every field whose image cannot be had, PAYLOAD_TOO_LARGE, and VALIDATION_ERROR for too
 * many addresses.
 */
export async function loadImages(named: NamedImages, loading: ImageLoading): Promise<LoadedImages> {
  const values = differentValues(named);
  const addresses = values.filter(isAddress);
  if (addresses.length > FETCHES_MAX)
    throw invalid([
      { field: 'fields', issue: `may name at most ${FETCHES_MAX} different addresses of images` },
    ]);
  const images = new Map<Named, Buffer | Failure>();
  let bytes = 0;
  const note = (named: Named, image: Buffer | Failure): void => {
    if (Buffer.isBuffer(image)) bytes += image.length;
    if (bytes > loading.imagesBytesMax) throw tooLarge(loading.imagesBytesMax);
    images.set(named, image);
  };
  for (const named of values)
    if (!isAddress(named)) note(named, decodeImage(named.value, loading.imageBytesMax));
  await fetchAll(addresses, loading, note);
  refuseFailures(images);
  return join(images as Map<Named, Buffer>);
}

/** What the images that are named by address take at most while they are fetched. */
export function fetchedBytesMax(named: NamedImages, { imageBytesMax, imagesBytesMax }: ImageLimits): number {
  const addresses = differentValues(named).filter(isAddress).length;
  return Math.min(addresses * imageBytesMax, imagesBytesMax + FETCHES_AT_A_TIME_MAX * imageBytesMax);
}

function differentValues(named: NamedImages): Named[] {
  const known = new Map<string, Named>();
  for (const [path, value] of named) {
    const key = keyOf(value);
    const same = known.get(key) ?? { value, paths: [] };
    known.set(key, same);
    same.paths.push(path);
  }
  return [...known.values()];
}

/** Of a text longer than this V8 hashes the length alone: a map of such would compare each with every other. */
const HASHED_CHARS_MAX = 16_383;

function keyOf(value: string): string {
  return value.length <= HASHED_CHARS_MAX ? value : createHash('sha256').update(value).digest('base64');
}

const isAddress = ({ value }: Named): boolean => /^https?:/i.test(value);

function decodeImage(value: string, bytesMax: number): Buffer | Failure {
  const uri = parseDataUri(value);
  if (uri === null)
    return {
      issue: value.length >= BARE_CHARS_MIN && decodeBase64(value) !== null ? BARE_ISSUE : FORM_ISSUE,
    };
  if (!uri.mediaType.startsWith('image/') || !uri.isBase64) return { issue: FORM_ISSUE };
  if (decodedBytes(uri.payload) > bytesMax)
    return { issue: `holds a larger image than the ${bytesMax} bytes that one may have` };
  const bytes = decodeBase64(uri.payload);
  if (bytes === null) return { issue: BASE64_ISSUE };
  return bytes.length > 0 ? bytes : { issue: 'is empty' };
}

async function fetchAll(
  addresses: Named[],
  loading: ImageLoading,
  note: (named: Named, image: Buffer | Failure) => void,
): Promise<void> {
  const stop = new AbortController();
  const signal = AbortSignal.any([loading.signal, stop.signal]);
  const queue = addresses.values();
  const work = async (): Promise<void> => {
    for (const named of queue) note(named, await fetchImage(named.value, { ...loading, signal }));
  };
  try {
    await Promise.all(Array.from({ length: FETCHES_AT_A_TIME_MAX }, work));
  } finally {
    stop.abort();
  }
}

async function fetchImage(url: string, loading: ImageLoading): Promise<Buffer | Failure> {
  const { fetcher, imageBytesMax, signal } = loading;
  try {
    const bytes = await fetcher.fetch(url, { bytesMax: imageBytesMax, signal });
    return bytes.length > 0 ? bytes : { issue: 'leads to nothing' };
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    return { issue: error.message, cause: error };
  }
}

function refuseFailures(images: Map<Named, Buffer | Failure>): void {
  const failures = [...images].flatMap(([{ paths }, image]) =>
    Buffer.isBuffer(image) ? [] : paths.map((field) => ({ field, ...image })),
  );
  if (failures.length === 0) return;
  const details = failures.slice(0, DETAILS_MAX).map(({ field, issue }) => ({ field, issue }));
  const message = `No image was found at: ${details.map(({ field }) => field).join(', ')}.`;
  const cause = failures.find((failure) => failure.cause !== undefined)?.cause;
  throw new AppError('IMAGE_INVALID', message, { details, cause });
}

function join(images: Map<Named, Buffer>): LoadedImages {
  const places: LoadedImages['places'] = new Map();
  let start = 0;
  for (const [{ paths }, image] of images) {
    for (const path of paths) places.set(path, { start, bytes: image.length });
    start += image.length;
  }
  return { places, bytes: Buffer.concat([...images.values()]) };
}

function tooLarge(imagesBytesMax: number): AppError {
  return new AppError(
    'PAYLOAD_TOO_LARGE',
    `The images of one request may have at most ${imagesBytesMax} bytes together.`,
  );
}
