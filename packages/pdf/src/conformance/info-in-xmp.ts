import { Costs } from '../read/bounds.ts';
import type { PdfDocument } from '../read/document.ts';
import { openPdf } from '../read/open.ts';
import { type Dict, PdfString, Ref, Stream } from '../read/values.ts';
import { literal } from '../write/literal.ts';
import { writable } from '../write/xmp.ts';
import { INFO_TEXTS, type InfoText, withDates, withTexts } from './xmp-repairs.ts';

interface Metadata {
  stream: Stream;
  ref: Ref;
  xmp: string;
}

export function metadataOf(document: PdfDocument): Metadata | undefined {
  const ref = document.catalog.value.get('Metadata');
  const stream = document.resolve(ref);
  if (!(stream instanceof Stream) || !(ref instanceof Ref)) return undefined;
  return { stream, ref, xmp: document.unpacked(stream, new Costs()).toString('utf8') };
}

const infoOf = (document: PdfDocument): Dict | undefined => document.dict(document.trailer, 'Info');

/** In place: a date has the same length. */
export function repairDates(bytes: Buffer): Buffer {
  const { document } = openPdf(bytes);
  const metadata = metadataOf(document);
  const info = infoOf(document);
  const created = info && document.get(info, 'CreationDate');
  if (metadata === undefined) return bytes;
  const date = (created instanceof PdfString ? created.date : undefined) ?? new Date();
  return withXmp(bytes, metadata.stream, withDates(metadata.xmp, date));
}

/** Signs that LibreOffice may have escaped twice, or that XMP cannot have. */
const DOUBTFUL = /&|[\ufffe\uffff]/;

/**
 * Lets the XMP of a PDF that LibreOffice wrote say the title, author, subject and keywords of the information dictionary. All
 * bytes stay where they are. Returns the same bytes if nothing changes. Throws PdfError.
 */
export function repairTexts(bytes: Buffer): Buffer {
  const packet = bytes.subarray(Math.max(0, bytes.lastIndexOf('<?xpacket begin')));
  if (!DOUBTFUL.test(packet.toString('utf8', 0, Math.max(0, packet.indexOf('<?xpacket end'))))) return bytes;
  const { document } = openPdf(bytes);
  const metadata = metadataOf(document);
  const info = infoOf(document);
  if (metadata === undefined || info === undefined) return bytes;
  const stored = (key: InfoText): PdfString | undefined => {
    const value = info.get(key);
    return value instanceof PdfString ? value : undefined;
  };
  const xmp = withTexts(metadata.xmp, (key) => stored(key)?.text);
  const repaired = xmp === undefined ? bytes : withXmp(bytes, metadata.stream, xmp);
  for (const key of INFO_TEXTS) {
    const text = stored(key)?.text ?? '';
    const entry = info.entries.get(key);
    if (entry === undefined || writable(text) === text) continue;
    const written = literal.text(writable(text));
    if (written.length <= entry.end - entry.start)
      repaired.write(written.padEnd(entry.end - entry.start), entry.start, 'latin1');
  }
  return repaired;
}

/** A copy with this XMP in the place of its own, if it has the same size. */
function withXmp(bytes: Buffer, stream: Stream, xmp: string): Buffer {
  const written = Buffer.from(xmp);
  if (stream.dict.get('Filter') !== null || written.length !== stream.data.length) return bytes;
  const copy = Buffer.from(bytes);
  written.copy(copy, stream.dataStart);
  return copy;
}
