import { deflateSync } from 'node:zlib';
import { Costs } from '../read/bounds.ts';
import { type Box, inheritedFrom, type Page } from '../read/pages.ts';
import { Dict, Ref, Stream } from '../read/values.ts';
import { literal } from '../write/literal.ts';
import type { Update } from '../write/update.ts';

/** In points: LibreOffice rounds a picture and its link in different ways. */
const TOLERANCE = 1;
const PICTURE = /((?:-?[\d.]{1,20} ){5}-?[\d.]{1,20}) cm(\s{1,4})\/([A-Za-z]{1,8}\d{1,8}) Do\b/g;

/**
 * Takes pictures of one pixel out of the content of a page that fill one of `boxes`. Makes artifacts of the marked content with
 * these numbers. LibreOffice writes a page as one stream.
 */
export function clearPlaces(
  update: Update,
  page: Page,
  boxes: readonly Box[],
  marks: ReadonlySet<number>,
): void {
  const { document } = update;
  const ref = page.object.value.get('Contents');
  const stream = document.resolve(ref);
  if (!(ref instanceof Ref) || !(stream instanceof Stream)) return;
  const content = document.unpacked(stream, new Costs()).toString('latin1');
  const isPlace = (matrix: string, name: string) => {
    const drawn = boxOf(matrix.split(' ').map(Number));
    return boxes.some((box) => isNear(box, drawn)) && isPixel(update, page, name);
  };
  const cleared = content
    .replace(PICTURE, (found, matrix: string, space: string, name: string) =>
      isPlace(matrix, name) ? `${matrix} cm${space}` : found,
    )
    .replace(/\/[^\s/<>[\]()]{1,100}\s?<<\s?\/MCID (\d{1,9})\s?>>\s?BDC/g, (found, number: string) =>
      marks.has(Number(number)) ? '/Artifact BMC' : found,
    );
  if (cleared === content) return;
  update.replace(ref, literal.stream('/Filter/FlateDecode', deflateSync(Buffer.from(cleared, 'latin1'))));
}

/** The box of the unit square under a matrix. */
function boxOf([a = 0, b = 0, c = 0, d = 0, e = 0, f = 0]: readonly number[]): Box {
  const xs = [e, e + a, e + c, e + a + c];
  const ys = [f, f + b, f + d, f + b + d];
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

const isNear = (a: Box, b: Box): boolean =>
  a.every((value, at) => Math.abs(value - (b[at] ?? 0)) <= TOLERANCE);

function isPixel({ document }: Update, { object }: Page, name: string): boolean {
  const resources = inheritedFrom(document, object.value, 'Resources');
  const images = resources instanceof Dict ? document.dict(resources, 'XObject') : undefined;
  const image = images && document.get(images, name);
  return (
    image instanceof Stream &&
    document.resolve(image.dict.get('Width')) === 1 &&
    document.resolve(image.dict.get('Height')) === 1
  );
}
