import type { Dialect } from '../template/dialect.ts';
import type { Template } from '../template/template.ts';
import { documentStyles } from './document-styles.ts';

/** The color of links in Word's default theme. */
export const LINK_COLOR = '0563C1';

/** Run properties that show a link as one: the document's own style for links, else blue and underlined. */
export function linkLook(template: Template, { element }: Dialect): string {
  const { link } = documentStyles(template);
  const looks =
    link === undefined
      ? element('color', { val: LINK_COLOR }) + element('u', { val: 'single' })
      : element('rStyle', { val: link });
  return element('rPr', {}, looks);
}
