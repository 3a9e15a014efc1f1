import { gunzipSync } from 'node:zlib';
import { formatOf, type ImageFormat, isRaster, isSvg, pixelsOf } from '@scriptorium/images/formats';
import { safeEmf, safeWmf } from '@scriptorium/images/metafile';
import { withoutAncillaryChunks } from '@scriptorium/images/png';
import { rasterize, SvgRefusal } from '@scriptorium/images/svg';
import { BOUNDS, type Budget, boundPassed } from '@scriptorium/ooxml/bounds';
import { OoxmlError } from '@scriptorium/ooxml/error';
import type { DropKind, Dropped, Inspector, Part, Relationship } from '@scriptorium/ooxml/package';
import { XmlError, type XmlVisitor } from '@scriptorium/ooxml/xml';
import type { Metafiles } from '../sources/source.ts';
import { PictureReferences } from './picture-references.ts';

const KINDS = new Set(['image', 'thumbnail', 'hdphoto']);

/** An image that is kept, or the reason why it is removed. */
type Verdict = { bytes: Buffer; contentType?: string; loss?: string } | { refused: string; what?: DropKind };

/**
 * Keeps the images that a reader can decode within bounds, detected from their bytes. They are PNG, JPEG, GIF, BMP, TIFF, WebP,
 * EMF and WMF, unless metafiles are to be removed. SVG is drawn as PNG, because LibreOffice would follow its references. gzip is
 * unpacked. PICT, EPS, PDF and other formats are removed. Throws OoxmlError DOCUMENT_TOO_COMPLEX for too many pixels.
 */
export function images(metafiles: Metafiles = 'keep'): Inspector {
  const references = new PictureReferences(KINDS);
  const others = new Set<string>();
  return {
    keepsRelationship(relationship: Relationship, source, dropped) {
      const { kind, part } = relationship;
      if (part === undefined || !KINDS.has(kind)) return true;
      if (others.has(part)) {
        dropped.push({
          what: 'image',
          part: source?.name ?? '',
          detail: 'it is another part of the document',
        });
        return false;
      }
      references.add(part);
      return true;
    },
    visit: (part: Part, dropped: Dropped[]): XmlVisitor => references.visitor(part, dropped),
    async keepsPart(part, dropped, budget) {
      if (!references.has(part.key) && !isImage(part)) {
        others.add(part.key);
        return true;
      }
      if (isSvg(part.bytes) && references.hasFallback(part.key)) return false;
      const verdict = await judge(part.bytes, part.name, { budget, metafiles });
      if ('refused' in verdict) {
        dropped.push({ what: verdict.what ?? 'image', part: part.name, detail: verdict.refused });
        return false;
      }
      if (verdict.loss !== undefined)
        dropped.push({ what: 'SVG image', part: part.name, detail: verdict.loss });
      if (verdict.bytes !== part.bytes) delete part.entry;
      part.bytes = verdict.bytes;
      part.contentType = verdict.contentType ?? part.contentType;
      return true;
    },
  };
}

function isImage({ contentType, bytes }: Part): boolean {
  if (contentType.startsWith('image/')) return true;
  const format = formatOf(bytes);
  return (format !== undefined && format !== 'gzip') || isSvg(bytes);
}

async function judge(
  bytes: Buffer,
  part: string,
  { budget, metafiles }: { budget: Budget; metafiles: Metafiles },
): Promise<Verdict> {
  const format = formatOf(bytes);
  const unpacked = format === 'gzip' ? unpack(bytes, part, budget) : bytes;
  const inner = unpacked === undefined ? undefined : formatOf(unpacked);
  if (unpacked === undefined || inner === 'gzip') return { refused: 'a damaged gzip archive' };
  if (metafiles === 'drop' && (inner === 'EMF' || inner === 'WMF'))
    return { refused: `an ${inner} image, which this service removes` };
  return await judgeUnpacked(unpacked, inner, part);
}

function unpack(bytes: Buffer, part: string, budget: Budget): Buffer | undefined {
  let unpacked: Buffer;
  try {
    unpacked = gunzipSync(bytes, { maxOutputLength: BOUNDS.packedImageBytesMax });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw boundPassed('packedImageBytesMax', part);
    return undefined;
  }
  budget.addInflated(unpacked.length);
  return unpacked;
}

async function judgeUnpacked(bytes: Buffer, format: ImageFormat | undefined, part: string): Promise<Verdict> {
  if (isRaster(format)) {
    const pixels = pixelsOf(format, bytes);
    if (pixels === undefined) return { refused: `a damaged ${format} image` };
    if (pixels > BOUNDS.imagePixelsMax) throw boundPassed('imagePixelsMax', part);
    return { bytes: format === 'PNG' ? withoutAncillaryChunks(bytes) : bytes };
  }
  if (format === 'EMF' || format === 'WMF') {
    const metafile = format === 'EMF' ? safeEmf(bytes) : safeWmf(bytes);
    if (metafile === undefined) return { refused: `a damaged ${format} image` };
    if (metafile.pixels > BOUNDS.imagePixelsMax) throw boundPassed('imagePixelsMax', part);
    return { bytes: metafile.bytes, contentType: `image/x-${format.toLowerCase()}` };
  }
  // Word keeps the original of an edited picture in this format. No engine reads it.
  if (format === 'JPEG XR') return { bytes };
  return isSvg(bytes) ? await draw(bytes, part) : { refused: 'an image in an unsupported format' };
}

async function draw(svg: Buffer, part: string): Promise<Verdict> {
  try {
    const { png, isTextMissing } = await rasterize(svg, part);
    const loss = isTextMissing ? { loss: 'its text is not drawn because no font is available' } : {};
    return { bytes: png, contentType: 'image/png', ...loss };
  } catch (error) {
    if (error instanceof SvgRefusal || error instanceof XmlError || error instanceof OoxmlError)
      return { refused: error.message, what: 'SVG image' };
    throw error;
  }
}
