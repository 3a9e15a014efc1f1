import { claimsIn, readXmp } from '../join/claims.ts';
import { PdfString, Ref } from '../read/values.ts';
import { literal } from '../write/literal.ts';
import { editDict, type Update } from '../write/update.ts';
import { type InvoiceProperties, writable, writeXmp } from '../write/xmp.ts';

/** Properties of a document. An empty text removes one, and one that is missing stays. */
export interface Metadata {
  title?: string | undefined;
  author?: string | undefined;
  subject?: string | undefined;
  keywords?: string | undefined;
}

const KEYS = { title: 'Title', author: 'Author', subject: 'Subject', keywords: 'Keywords' } as const;

/**
 * Sets properties in the information dictionary, and writes the same into the XMP, anew. Returns the changes of the catalog.
 */
export function setMetadata(
  update: Update,
  metadata: Metadata,
  invoice: InvoiceProperties | undefined,
): Record<string, string> {
  const { document } = update;
  const claims = claimsIn(readXmp(document));
  const info = document.owned(document.trailer, 'Info');
  if (!info.dict || !info.ref) throw new Error('the document has no information dictionary');
  const { dict, ref } = info;
  const stored = (key: string): PdfString | undefined => {
    const value = document.get(dict, key);
    return value instanceof PdfString ? value : undefined;
  };
  const textOf = (name: keyof typeof KEYS): string | undefined =>
    writable(metadata[name] ?? stored(KEYS[name])?.text ?? '') || undefined;
  const dateOf = (key: string): string | undefined =>
    stored(key)
      ?.date?.toISOString()
      .replace(/\.\d{3}Z$/, 'Z');
  const texts = Object.fromEntries(
    Object.keys(KEYS).map((name) => [name, textOf(name as keyof typeof KEYS)]),
  ) as Record<keyof typeof KEYS, string | undefined>;
  const edits = Object.entries(KEYS).map(([name, key]) => {
    const text = texts[name as keyof typeof KEYS];
    return [key, text === undefined ? undefined : literal.text(text)];
  });
  update.replace(ref, editDict(dict, Object.fromEntries(edits)));
  const xmp = writeXmp(claims, {
    ...texts,
    creatorTool: stored('Creator')?.text,
    producer: stored('Producer')?.text,
    createDate: dateOf('CreationDate'),
    modifyDate: dateOf('ModDate'),
    invoice,
  });
  const stream = literal.stream('/Type/Metadata/Subtype/XML', Buffer.from(xmp));
  // In its place, so that the old one is not in the file any more.
  const place = document.catalog.value.get('Metadata');
  if (!(place instanceof Ref)) return { Metadata: String(update.add(stream)) };
  update.replace(place, stream);
  return {};
}
