import { inflateSync } from 'node:zlib';
import type { PdfDocument } from '../read/document.ts';
import { isName, PdfString, Stream } from '../read/values.ts';
import type { Claims } from '../write/xmp.ts';
import type { JoinedSource } from './source.ts';

const METADATA_BYTES_MAX = 4 * 1024 * 1024;

/** Returns XMP as text; empty if there is none, or a filter that PDF/A does not allow for it. */
export function readXmp(document: PdfDocument): string {
  const metadata = document.get(document.catalog.value, 'Metadata');
  if (!(metadata instanceof Stream)) return '';
  const filter = document.get(metadata.dict, 'Filter');
  const [first = null, ...more] = Array.isArray(filter) ? filter : [filter];
  if (first === null) return metadata.data.subarray(0, METADATA_BYTES_MAX).toString('utf8');
  if (more.length > 0 || !isName(document.resolve(first), 'FlateDecode')) return '';
  try {
    return inflateSync(metadata.data, { maxOutputLength: METADATA_BYTES_MAX }).toString('utf8');
  } catch {
    return '';
  }
}

/** Returns the claims in XMP. */
export function claimsIn(xmp: string): Claims {
  const value = (name: string) =>
    new RegExp(`${name}(?:\\s{0,20}=\\s{0,20}["']|>)\\s{0,200}(\\w{1,8})`).exec(xmp)?.[1] ?? '';
  const [a, ua] = [value('pdfaid:part'), value('pdfuaid:part')];
  return {
    pdfa:
      a === '' ? undefined : { part: a, conformance: value('pdfaid:conformance'), rev: value('pdfaid:rev') },
    pdfua: ua === '' ? undefined : { part: ua, rev: value('pdfuaid:rev') },
  };
}

/** Returns what both claim. */
export function claimedByBoth(a: Claims, b: Claims): Claims {
  const same = <T>(one: T, other: T): T | undefined =>
    JSON.stringify(one) === JSON.stringify(other) ? one : undefined;
  return { pdfa: same(a.pdfa, b.pdfa), pdfua: same(a.pdfua, b.pdfua) };
}

const TITLE =
  /<dc:title[^>]{0,200}>\s{0,200}<rdf:Alt[^>]{0,200}>\s{0,200}<rdf:li[^>]{0,200}>([^<]{1,10000})</;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** The title of a document: of its information dictionary, or else of its XMP. */
export function titleOf(source: JoinedSource, xmp: string): string | undefined {
  const info = source.document.dict(source.document.trailer, 'Info');
  const title = info && source.document.get(info, 'Title');
  if (title instanceof PdfString && title.text !== '') return title.text;
  const text = TITLE.exec(xmp)?.[1];
  return text?.replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => ENTITIES[name] ?? '');
}
