import type { documentsOfData } from '@scriptorium/docx-generate/values';
import { loadAllDocuments } from './load-document.ts';
import {
  fetchedBytesMax,
  type ImageLoading,
  type LoadedImages,
  loadImages,
  type NamedImages,
} from './load-images.ts';

/** The images and documents that a request names beside its own document, by path. */
export interface NamedFiles {
  images: NamedImages;
  documents: ReturnType<typeof documentsOfData>;
}

export interface FileLoading extends ImageLoading {
  uploadBytesMax: number;
  /** Limit of all documents together. */
  documentsBytesMax: number;
}

/**
 * Loads the images, then the documents behind them. A worker validates them. Throws the errors of `loadImages` and of
 * `loadAllDocuments`, with the paths of the values.
 */
export async function loadFiles(
  { images, documents }: NamedFiles,
  loading: FileLoading,
): Promise<LoadedImages> {
  const { signal, documentsBytesMax: bytesMax } = loading;
  const stop = new AbortController();
  const until = { ...loading, signal: AbortSignal.any([signal, stop.signal]) };
  const paths = [...documents.keys()];
  try {
    const [loaded, inserted] = await Promise.all([
      loadImages(images, until),
      loadAllDocuments([...documents.values()], until, { bytesMax, pathOf: (at) => paths[at] ?? '' }),
    ]);
    if (paths.length === 0) return loaded;
    const places = new Map(loaded.places);
    let start = loaded.bytes.length;
    for (const [at, { length }] of inserted.entries()) {
      places.set(paths[at] ?? '', { start, bytes: length });
      start += length;
    }
    return { places, bytes: Buffer.concat([loaded.bytes, ...inserted]) };
  } finally {
    stop.abort();
  }
}

/** Returns the maximum memory for the files of a request that are fetched. */
export function fetchedFilesMax(
  { images, documents }: NamedFiles,
  limits: Omit<FileLoading, 'fetcher' | 'signal'>,
): number {
  const addresses = new Set([...documents.values()].flatMap(({ url }) => url ?? []));
  return (
    fetchedBytesMax(images, limits) +
    Math.min(addresses.size * limits.uploadBytesMax, limits.documentsBytesMax)
  );
}
