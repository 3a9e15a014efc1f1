import { createHash } from 'node:crypto';
import { AppError } from '@scriptorium/contracts/errors';
import { FetchError } from '@scriptorium/fetching/error';
import type { Fetcher } from '@scriptorium/shared/fetch/fetcher';
import { DETAILS_MAX, invalid } from '@scriptorium/shared/http/validation';
import { BASE64_ISSUE, decodeBase64, decodedBytes, parseDataUri } from './base64.ts';

/** Limits of the distinct image URLs of one request: in total and at a time. */
export const FETCHES_MAX = 100;
const FETCHES_AT_A_TIME_MAX = 8;

const FORM_ISSUE = 'must be a data URI `data:image/<format>;base64,…` or an http(s) URL';
const BARE_ISSUE = 'looks like bare base64: put `data:image/<format>;base64,` before it';
const BARE_CHARS_MIN = 16;

export interface ImageLimits {
  /** Limits of one image, and of all images of a request together. */
  imageBytesMax: number;
  imagesBytesMax: number;
}

export interface ImageLoading extends ImageLimits {
  fetcher: Fetcher;
  signal: AbortSignal;
}

/** The image values of a request (data URIs and URLs) by field path. */
export type NamedImages = Map<string, string>;

/** The concatenated images, and the place of each image by field path. */
export interface LoadedImages {
  bytes: Buffer;
  places: Map<string, { start: number; bytes: number }>;
}

/** A value, and the paths of its fields. */
interface Named {
  value: string;
  paths: string[];
}

interface Failure {
  issue: string;
  cause?: unknown;
}

/**
 * Decodes and fetches the images of a request, each distinct value once. A worker validates them. Throws IMAGE_INVALID with
 * every field whose image could not be loaded, PAYLOAD_TOO_LARGE, and VALIDATION_ERROR for too many URLs.
 */
export async function loadImages(named: NamedImages, loading: ImageLoading): Promise<LoadedImages> {
  const values = distinctValues(named);
  const urls = values.filter(isUrl);
  const [spare] = urls.slice(FETCHES_MAX);
  if (spare !== undefined)
    throw invalid([
      { field: partOf(spare), issue: `must name at most ${FETCHES_MAX} distinct URLs of images` },
    ]);
  const images = new Map<Named, Buffer | Failure>();
  let bytes = 0;
  const add = (named: Named, image: Buffer | Failure): void => {
    if (Buffer.isBuffer(image)) bytes += image.length;
    if (bytes > loading.imagesBytesMax) throw tooLarge(loading.imagesBytesMax);
    images.set(named, image);
  };
  for (const named of values) if (!isUrl(named)) add(named, decodeImage(named.value, loading.imageBytesMax));
  await fetchAll(urls, loading, add);
  refuseFailures(images);
  return join(images as Map<Named, Buffer>);
}

/** Returns the property of the body in which an image is named: `fields` or `data`. */
const partOf = ({ paths: [path = ''] }: Named): string => /^\w*/.exec(path)?.[0] ?? '';

/** Returns the maximum memory for the images of a request that are fetched. */
export function fetchedBytesMax(named: NamedImages, { imageBytesMax, imagesBytesMax }: ImageLimits): number {
  const urls = distinctValues(named).filter(isUrl).length;
  return Math.min(urls * imageBytesMax, imagesBytesMax + FETCHES_AT_A_TIME_MAX * imageBytesMax);
}

function distinctValues(named: NamedImages): Named[] {
  const known = new Map<string, Named>();
  for (const [path, value] of named) {
    const key = keyOf(value);
    const same = known.get(key) ?? { value, paths: [] };
    known.set(key, same);
    same.paths.push(path);
  }
  return [...known.values()];
}

/** V8 hashes longer strings by their length alone, which makes a map of them quadratic. */
const HASHED_CHARS_MAX = 16_383;

function keyOf(value: string): string {
  return value.length <= HASHED_CHARS_MAX ? value : createHash('sha256').update(value).digest('base64');
}

const isUrl = ({ value }: Named): boolean => /^https?:/i.test(value);

function decodeImage(value: string, bytesMax: number): Buffer | Failure {
  const uri = parseDataUri(value);
  if (uri === null)
    return {
      issue: value.length >= BARE_CHARS_MIN && decodeBase64(value) !== null ? BARE_ISSUE : FORM_ISSUE,
    };
  if (!uri.mediaType.startsWith('image/') || !uri.isBase64) return { issue: FORM_ISSUE };
  if (decodedBytes(uri.payload) > bytesMax)
    return { issue: `has an image that exceeds the limit of ${bytesMax} bytes` };
  const bytes = decodeBase64(uri.payload);
  if (bytes === null) return { issue: BASE64_ISSUE };
  return bytes.length > 0 ? bytes : { issue: 'is empty' };
}

async function fetchAll(
  urls: Named[],
  loading: ImageLoading,
  add: (named: Named, image: Buffer | Failure) => void,
): Promise<void> {
  const stop = new AbortController();
  const signal = AbortSignal.any([loading.signal, stop.signal]);
  const queue = urls.values();
  const work = async (): Promise<void> => {
    for (const named of queue) add(named, await fetchImage(named.value, { ...loading, signal }));
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
    return bytes.length > 0 ? bytes : { issue: 'returned an empty body' };
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
  const message = `The images of these fields could not be loaded: ${details.map(({ field }) => field).join(', ')}.`;
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
    `The images of the request exceed the limit of ${imagesBytesMax} bytes.`,
  );
}
