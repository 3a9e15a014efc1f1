import type { FieldValue } from '@scriptorium/docx-template/fields';
import type { Fetcher } from '@scriptorium/shared/fetch/fetcher';
import type { Reply } from '../context.ts';
import type { ByteBudget } from '../middleware/byte-budget.ts';
import { abortOnDisconnect } from './abort-on-disconnect.ts';
import type { AnnotateRequest } from './annotate-request.ts';
import type { DocumentSource } from './document-source.ts';
import { fieldValuesOf, imagesOf } from './field-values.ts';
import { loadDocument } from './load-document.ts';
import { fetchedBytesMax, type LoadedImages, loadImages, type NamedImages } from './load-images.ts';

/** The parts for loading the bytes that a request contains or names. */
export interface Loading {
  fetcher: Fetcher;
  budget: ByteBudget;
  limits: {
    uploadBytesMax: number;
    imageBytesMax: number;
    imagesBytesMax: number;
    /** All documents of a merge. */
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
  const { source, images } = await loadWithImages(document, imagesOf(fields), loading, response);
  return { source, images: images.bytes, fieldValues: fieldValuesOf(fields, images.places) };
}

/** Reserves the bytes to fetch in the budget beforehand. The body is already counted. */
export async function loadWithImages(
  document: DocumentSource,
  named: NamedImages,
  { fetcher, budget, limits }: Loading,
  response: Reply,
): Promise<{ source: Buffer; images: LoadedImages }> {
  const keep = budget.hold(response, documentBytesMax(document, limits) + fetchedBytesMax(named, limits));
  return abortOnDisconnect(response.locals, async (signal) => {
    const loading = { fetcher, signal, ...limits };
    const [source, images] = await Promise.all([loadDocument(document, loading), loadImages(named, loading)]);
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
