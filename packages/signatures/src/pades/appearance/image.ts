import { PDFContext, PDFRawStream, type PDFRef, PngEmbedder } from '@cantoo/pdf-lib';
import { checkedPng, PNG_SIGNATURE } from '@scriptorium/images/png';
import { addUsualImage, type PlacedImage } from '@scriptorium/pdf/images';
import type { Ref } from '@scriptorium/pdf/read';
import { literal, type ObjectSink } from '@scriptorium/pdf/update';
import { SignatureError } from '../../signature-error.ts';

/** Maximum pixels of an image; each takes four bytes while the image is read. */
const PIXELS_MAX = 16_000_000;

const refuse = (issue: string, cause?: unknown): SignatureError =>
  new SignatureError('IMAGE_INVALID', 'The image of the appearance cannot be used.', {
    details: [{ field: 'appearance.image', issue }],
    cause,
  });

/** Adds a PNG with its transparency as a soft mask, or a JPEG unchanged. Throws IMAGE_INVALID. */
export async function addImage(sink: ObjectSink, image: Buffer): Promise<PlacedImage> {
  const isPng = image.subarray(0, 8).equals(PNG_SIGNATURE);
  const isJpeg = image[0] === 0xff && image[1] === 0xd8;
  if (!isPng && !isJpeg) throw refuse('It is neither PNG nor JPEG.');
  try {
    return addUsualImage(sink, image, PIXELS_MAX) ?? (await addByPdfLib(sink, image));
  } catch (error) {
    throw refuse(`It cannot be read, or has more than ${PIXELS_MAX} pixels.`, error);
  }
}

/** pdf-lib compresses in JavaScript, a microsecond per pixel, so it handles only the rare types of PNG. */
async function addByPdfLib(sink: ObjectSink, image: Buffer): Promise<PlacedImage> {
  const embedder = await PngEmbedder.for(checkedPng(image, PIXELS_MAX).bytes);
  if (embedder.width === 0 || embedder.height === 0) throw new Error('it has no pixels');
  const context = PDFContext.create();
  const main = await embedder.embedIntoContext(context);
  const refs = new Map<PDFRef, Ref>();
  // Objects that others refer to, such as the soft mask, are registered first.
  for (const [ref, object] of context.enumerateIndirectObjects()) {
    if (object instanceof PDFRawStream) refs.set(ref, sink.add(streamOf(object, refs)));
  }
  const ref = refs.get(main);
  if (!ref) throw new Error('the image was not written');
  return { ref, width: embedder.width, height: embedder.height };
}

function streamOf(object: PDFRawStream, refs: ReadonlyMap<PDFRef, Ref>): Buffer {
  const keys = object.dict
    .entries()
    .filter(([key]) => key.asString() !== '/Length')
    .map(([key, value]) => `${key.asString()} ${refs.get(value as PDFRef) ?? value.toString()}`);
  return literal.stream(keys.join(''), Buffer.from(object.contents));
}
