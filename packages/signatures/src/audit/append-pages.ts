import { deflateSync } from 'node:zlib';
import type { FontBook } from '@scriptorium/fonts/font-book';
import { malformed } from '@scriptorium/pdf/error';
import { countPages, Dict, findPage, type PdfDocument, Ref } from '@scriptorium/pdf/read';
import { TextFonts } from '@scriptorium/pdf/text-fonts';
import { editDict, literal, type Update } from '@scriptorium/pdf/update';
import type { Face, Measure, Page, PageSize, PlacedText, Shade } from './sheet.ts';

/**
 * Appends pages after the last one, under a new node at the end of the page tree's root. Each page sets every inheritable
 * attribute (ISO 32000-2, 7.7.3.4), so that the document's own attributes do not apply. `resources` refers to a resource
 * dictionary.
 */
function appendPages(
  update: Update,
  contents: readonly Ref[],
  { size, isInstead = false }: Pick<PageSet, 'size' | 'isInstead'>,
  resources: Ref,
): void {
  const { document } = update;
  const rootRef = document.catalog.value.get('Pages');
  const root = document.resolve(rootRef);
  if (!(rootRef instanceof Ref) || !(root instanceof Dict)) throw malformed('its catalog has no page tree');
  const count = document.get(root, 'Count');
  if (typeof count !== 'number') throw malformed('its page tree has no page count');
  const node = update.reserve();
  const box = literal.numbers([0, 0, size.width, size.height]);
  const kids = contents.map((content) =>
    update.add(
      `<</Type/Page/Parent ${node}/MediaBox${box}/CropBox${box}/Rotate 0/Resources ${resources}/Contents ${content}>>`,
    ),
  );
  update.replace(node, `<</Type/Pages/Parent ${rootRef}/Kids[${kids.join(' ')}]/Count ${kids.length}>>`);
  const kidsText = isInstead ? `[${node}]` : update.append(root, 'Kids', node.toString());
  const changes: Record<string, string> = { Count: String(isInstead ? kids.length : count + kids.length) };
  if (kidsText !== undefined) changes.Kids = kidsText;
  update.replace(rootRef, editDict(root, changes));
}

/** One font set for each face, with distinct prefixes. */
type PageFonts = Readonly<Record<Face, TextFonts>>;

/** How pages are drawn and added. */
export interface PageSet {
  size: PageSize;
  book: FontBook;
  /** Lays out the pages. */
  pages(measure: Measure): Page[];
  /** Further entries of the resources. */
  resources?: string;
  /** Whether the pages replace those of the document. */
  isInstead?: boolean;
}

/**
 * Draws pages with the fonts of the host, and appends them after the last page. Returns the characters that no font has.
 */
export function drawPages(
  update: Update,
  { size, book, pages, resources: more = '', isInstead = false }: PageSet,
): string[] {
  const fonts: PageFonts = {
    regular: new TextFonts('regular', 'R', book),
    bold: new TextFonts('bold', 'B', book),
    mono: new TextFonts('mono', 'M', book),
  };
  const contents = pages((text, style) => fonts[style.face].width(text, style.size)).map((page) => {
    const content = deflateSync(pageContent(page, size, fonts));
    return update.add(literal.stream('/Filter/FlateDecode', content));
  });
  const embedded = Object.values(fonts).map((face) => face.embed(update));
  const resources = update.add(`<</Font<<${embedded.join('')}>>${more}>>`);
  appendPages(update, contents, { size, isInstead }, resources);
  return Object.values(fonts).flatMap(({ missing }) => [...missing]);
}

/**
 * Returns the content stream of a page. All of it is an artifact (ISO 32000-2, 14.8.2.2), separate from the logical
 * structure of a tagged document. Programs read `audit.json` instead.
 */
function pageContent(page: Page, size: PageSize, fonts: PageFonts): Buffer {
  const lines = ['/Artifact BMC'];
  for (const { x, y, width, height, ...shade } of page.bars) {
    const box = [x, size.height - y - height, width, height].map(literal.number).join(' ');
    lines.push(`${fill(shade)} ${box} re f`);
  }
  for (const { name, x, y, width, height } of page.images) {
    const matrix = [width, 0, 0, height, x, size.height - y - height].map(literal.number).join(' ');
    lines.push(`q ${matrix} cm /${name} Do Q`);
  }
  lines.push('BT');
  for (const text of page.texts) lines.push(textOperators(text, size, fonts));
  lines.push('ET', 'EMC');
  return Buffer.from(lines.join('\n'), 'latin1');
}

function fill({ gray, color }: Shade): string {
  return color === undefined ? `${literal.number(gray)} g` : `${color.map(literal.number).join(' ')} rg`;
}

function textOperators({ x, y, text, style }: PlacedText, size: PageSize, fonts: PageFonts): string {
  const place = `${literal.number(x)} ${literal.number(size.height - y)}`;
  return `${fill(style)} 1 0 0 1 ${place} Tm ${fonts[style.face].show(text, style.size)}`;
}

/** In points. A page with a side outside these bounds is not suitable for text. */
const SIDE_MIN = 340;
const SIDE_MAX = 1_300;
export const A4: PageSize = { width: 595.276, height: 841.89 };

/**
 * Returns the size of the document's last page as displayed: cropped, rotated, and scaled by its user unit. Returns A4 without a
 * page, or if the page is not suitable for text, such as a stamp or a plan.
 */
export function lastPageSize(document: PdfDocument): PageSize {
  const page = findPage(document, countPages(document));
  if (!page) return A4;
  const [left, bottom, right, top] = page.box;
  const unit = document.get(page.object.value, 'UserUnit');
  const scale = typeof unit === 'number' && unit > 0 ? unit : 1;
  const across = (right - left) * scale;
  const along = (top - bottom) * scale;
  if (Math.min(across, along) < SIDE_MIN || Math.max(across, along) > SIDE_MAX) return A4;
  const isTurned = page.rotation === 90 || page.rotation === 270;
  return isTurned ? { width: along, height: across } : { width: across, height: along };
}
