import { escapeXml } from '@scriptorium/ooxml/xml';
import type { Dialect } from '../template/dialect.ts';
import type { PlacedLabel } from './frame.ts';

export const LABEL_FONT = 'Arial';
/** 72 points and 96 pixels to the inch. */
export const POINTS_A_PIXEL = 0.75;

/** `w:txbxContent` with a label in one line, regardless of the document's paragraph styles. */
export function labelText({ text, color, fontPixels }: PlacedLabel, { element }: Dialect): string {
  const halfPoints = String(Math.max(Math.round(fontPixels * POINTS_A_PIXEL * 2), 2));
  const paragraph = element(
    'pPr',
    {},
    element('spacing', { before: '0', after: '0', line: '240', lineRule: 'auto' }) +
      element('ind', { left: '0', right: '0', firstLine: '0' }) +
      element('jc', { val: 'left' }),
  );
  const style = element(
    'rPr',
    {},
    element('rFonts', { ascii: LABEL_FONT, hAnsi: LABEL_FONT, cs: LABEL_FONT }) +
      element('color', { val: color.slice(1).toUpperCase() }) +
      element('sz', { val: halfPoints }) +
      element('szCs', { val: halfPoints }),
  );
  const shown = element('t', {}, escapeXml(text)).replace('>', ' xml:space="preserve">');
  return element('txbxContent', {}, element('p', {}, paragraph + element('r', {}, style + shown)));
}
