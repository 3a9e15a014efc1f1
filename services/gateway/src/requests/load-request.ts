import type { FieldValue } from '@scriptorium/docx-template/fields';
import type { Fetcher } from '@scriptorium/shared/fetch/fetcher';
import type { Reply } from '../context.ts';
import type { ByteBudget } from '../middleware/byte-budget.ts';
import { abortOnDisconnect } from './abort-on-disconnect.ts';
import type { AnnotateRequest } from './annotate-request.ts';
import type { DocumentSource } from './document-source.ts';
import { fieldValuesOf, imagesOf } from './field-values.ts';
import { loadDocument } from './load-document.ts';
import { fetchedFilesMax, loadFiles, type NamedFiles } from './load-files.ts';
import type { LoadedImages } from './load-images.ts';

/** The parts for loading the bytes that a request contains or names. */
export interface Loading {
  fetcher: Fetcher;
  budget: ByteBudget;
  limits: {
    uploadBytesMax: number;
    imageBytesMax: number;
    imagesBytesMax: number;
    /** All documents of a merge, and all that are inserted into one. */
    mergeBytesMax: number;
  };
}

export interface LoadedRequest {
  source: Buffer;
  fieldValues: FieldValue[];
  images: Buffer;
}

export async function loadAnnotateRequest(
  { document, fields }: AnnotateRequest,
  loading: Loading,
  response: Reply,
): Promise<LoadedRequest> {
  const { source, images } = await loadWithFiles(
    document,
    { images: imagesOf(fields), documents: new Map() },
    loading,
    response,
  );
  return { source, images: images.bytes, fieldValues: fieldValuesOf(fields, images.places) };
}

/** Reserves the bytes to fetch in the budget beforehand. The body is already counted. */
export async function loadWithFiles(
  document: DocumentSource,
  named: NamedFiles,
  { fetcher, budget, limits }: Loading,
  response: Reply,
): Promise<{ source: Buffer; images: LoadedImages }> {
  const ofFiles = { ...limits, documentsBytesMax: limits.mergeBytesMax };
  const keep = budget.hold(response, documentBytesMax(document, limits) + fetchedFilesMax(named, ofFiles));
  return abortOnDisconnect(response.locals, async (signal) => {
    const loading = { fetcher, signal, ...ofFiles };
    const [source, images] = await Promise.all([loadDocument(document, loading), loadFiles(named, loading)]);
    keep(source.length + images.bytes.length);
    return { source, images };
  });
}

export async function loadSource(
  document: DocumentSource,
  { fetcher, budget, limits }: Loading,
  response: Reply,
): Promise<Buffer> {
  const keep = budget.hold(response, documentBytesMax(document, limits));
  const source = await abortOnDisconnect(response.locals, (signal) =>
    loadDocument(document, { fetcher, signal, ...limits }),
  );
  keep(source.length);
  return source;
}

const documentBytesMax = ({ url }: DocumentSource, { uploadBytesMax }: Loading['limits']): number =>
  url === undefined ? 0 : uploadBytesMax;
