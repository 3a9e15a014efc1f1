import type { TextFonts } from '@scriptorium/pdf/fonts/text-fonts';
import { literal } from '@scriptorium/pdf/write/literal';
import type { Face, Page, PageSize, PlacedText } from './sheet.ts';

/** One for each face, with prefixes that differ. */
export type PageFonts = Readonly<Record<Face, TextFonts>>;

/**
 * The content stream of a page. All of it is an artifact (ISO 32000-2, 14.8.2.2): in a tagged document it is apart from the
 * logical structure, and `audit.json` has the same for programs.
 */
export function pageContent(page: Page, size: PageSize, fonts: PageFonts): Buffer {
  const lines = ['/Artifact BMC'];
  for (const { x, y, width, height, gray } of page.bars) {
    const box = [x, size.height - y - height, width, height].map(literal.number).join(' ');
    lines.push(`${literal.number(gray)} g ${box} re f`);
  }
  lines.push('BT');
  for (const text of page.texts) lines.push(textOperators(text, size, fonts));
  lines.push('ET', 'EMC');
  return Buffer.from(lines.join('\n'), 'latin1');
}

function textOperators({ x, y, text, style }: PlacedText, size: PageSize, fonts: PageFonts): string {
  const place = `${literal.number(x)} ${literal.number(size.height - y)}`;
  return `${literal.number(style.gray)} g 1 0 0 1 ${place} Tm ${fonts[style.face].show(text, style.size)}`;
}
