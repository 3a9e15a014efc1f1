import { deflateSync } from 'node:zlib';
import { Costs } from '../read/bounds.ts';
import type { PdfDocument } from '../read/document.ts';
import { openPdf } from '../read/open.ts';
import { type Box, type Page, placedPages } from '../read/pages.ts';
import { isName, Ref, Stream } from '../read/values.ts';
import { literal } from '../write/literal.ts';
import { rewritePdf } from '../write/rewrite.ts';
import { editDict, Update } from '../write/update.ts';

/** A color as six hexadecimal digits that nothing else of a document has, and where the text in front of it leads to. */
export interface MarkedLink {
  color: string;
  address: string;
  /** Instead of the address: a page of the document, from 0. */
  page?: number;
}

const COLOR = /([\d.]{1,14}) ([\d.]{1,14}) ([\d.]{1,14}) rg\s/g;
/** One rectangle, or one polygon. */
const AREA = /((?:-?[\d.]{1,14} ){4})re f\*?\s|((?:(?:-?[\d.]{1,14} ){2}[ml]\s){4,6}h\s)f\*?\s/y;
/** What LibreOffice draws next. A step of a gradient may have the color by chance. */
const TEXT = /(?<=f\*?\s)q (?:[\d.]{1,14} ){3}rg\sBT\s/y;

/**
 * Turns areas of these colors, which LibreOffice has drawn behind texts, into links at their places, and takes the areas away.
 * Returns undefined if the areas of a link are not found, or not on a page itself, or if something else has its color. With
 * `mayMiss`, links need no area, and those to pages are left out. The result has one revision. Throws PdfError.
 */
export function placeLinks(
  bytes: Buffer,
  links: readonly MarkedLink[],
  mayMiss: boolean,
): Buffer | undefined {
  const byColor = new Map(links.map((link) => [link.color, link]));
  const update = new Update(openPdf(bytes).document);
  const placed = new Set<MarkedLink>();
  const costs = new Costs();
  for (const form of formsOf(update.document)) {
    const content = update.document.unpacked(form, costs).toString('latin1');
    if (areasOf(content, byColor)?.areas.length !== 0) return undefined;
  }
  const pages = [...placedPages(update.document)];
  for (const page of pages) {
    const ref = page.object.value.get('Contents');
    const stream = update.document.resolve(ref);
    if (!(ref instanceof Ref) || !(stream instanceof Stream)) continue;
    const content = update.document.unpacked(stream, costs).toString('latin1');
    const found = areasOf(content, byColor);
    if (found === undefined) return undefined;
    const { areas, cleared } = found;
    if (areas.length === 0) continue;
    for (const { link } of areas) placed.add(link);
    update.replace(ref, literal.stream('/Filter/FlateDecode', deflateSync(Buffer.from(cleared, 'latin1'))));
    const added = areas.flatMap(({ link, box }) => {
      const action = actionOf(link, mayMiss ? [] : pages);
      return action === undefined ? [] : update.add(linkTo(action, box, page));
    });
    const before = update.document.get(page.object.value, 'Annots');
    const kept = Array.isArray(before) ? before.filter((item) => item instanceof Ref) : [];
    update.replace(page.ref, editDict(page.object.value, { Annots: `[${[...kept, ...added].join(' ')}]` }));
  }
  if (!mayMiss && placed.size < links.length) return undefined;
  if (placed.size === 0) return bytes;
  return rewritePdf(openPdf(update.finish().bytes).document);
}

/** A border of no width, as LibreOffice writes links. Print: PDF/A requires it of each annotation. */
const linkTo = (action: string, box: Box, { ref }: Page): string =>
  `<</Type/Annot/Subtype/Link/Border[0 0 0]/F 4/Rect${literal.numbers(box)}/P ${ref}${action}>>`;

function actionOf({ address, page }: MarkedLink, pages: readonly Page[]): string | undefined {
  if (page === undefined) return `/A<</Type/Action/S/URI/URI${literal.text(escaped(address))}>>`;
  const target = pages[page];
  return target && `/Dest[${target.ref}/Fit]`;
}

/** An address is ASCII (ISO 32000-2, 12.6.4.8). */
const escaped = (address: string): string =>
  address.toWellFormed().replace(/[^\x21-\x7e]+/gu, encodeURIComponent);

interface Area {
  link: MarkedLink;
  box: Box;
}

/** Undefined if something else than areas behind texts has one of the colors. */
function areasOf(
  content: string,
  byColor: ReadonlyMap<string, MarkedLink>,
): { areas: Area[]; cleared: string } | undefined {
  const areas: Area[] = [];
  const pieces: string[] = [];
  let at = 0;
  for (const { index, 0: set, 1: red, 2: green, 3: blue } of content.matchAll(COLOR)) {
    const link = byColor.get(hexOf([red, green, blue]));
    if (link === undefined || index < at) continue;
    pieces.push(content.slice(at, index));
    at = index + set.length;
    for (;;) {
      AREA.lastIndex = at;
      const found = AREA.exec(content);
      if (found === null) break;
      areas.push({ link, box: boxOf(found) });
      at += found[0].length;
    }
    TEXT.lastIndex = at;
    if (!TEXT.test(content)) return undefined;
  }
  return { areas, cleared: [...pieces, content.slice(at)].join('') };
}

const hexOf = (parts: readonly (string | undefined)[]): string =>
  parts
    .map((part) =>
      Math.round(255 * Number(part))
        .toString(16)
        .padStart(2, '0'),
    )
    .join('');

function boxOf([, rectangle, polygon = '']: RegExpExecArray): Box {
  const numbers = (rectangle ?? polygon).match(/-?[\d.]+/g)?.map(Number) ?? [];
  if (rectangle !== undefined) {
    const [x = 0, y = 0, width = 0, height = 0] = numbers;
    return [x, y, x + width, y + height];
  }
  const [xs, ys] = [0, 1].map((part) => numbers.filter((_, index) => index % 2 === part)) as [
    number[],
    number[],
  ];
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

/** All form XObjects, in which LibreOffice draws what is translucent. Some are in others. */
function* formsOf(document: PdfDocument): Generator<Stream> {
  for (let num = 1; num <= document.xref.numMax; num++) {
    const value = document.object(new Ref(num, 0))?.value;
    if (value instanceof Stream && isName(document.resolve(value.dict.get('Subtype') ?? null), 'Form'))
      yield value;
  }
}
