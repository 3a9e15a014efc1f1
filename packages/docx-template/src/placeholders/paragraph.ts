import { childOf, descendantsOf, type XmlNode } from '@scriptorium/ooxml/xml';
import type { PackageEditor } from '../package-editor.ts';
import type { Story } from '../template/story.ts';
import type { Mark } from './marks.ts';

const PROPERTIES = new Set(['w:pPr', 'w:rPr']);
/** Elements without visible content in a paragraph. */
const EMPTY = new Set([
  ...PROPERTIES,
  'w:r',
  'w:hyperlink',
  'w:ins',
  'w:smartTag',
  'w:lastRenderedPageBreak',
]);

/** Whether a paragraph shows only this mark and white space. */
export function isAlone({ story, pieces }: Mark, paragraph: XmlNode): boolean {
  const source = (start: number, end: number) => story.xml.slice(start, end);
  let shown = '';
  for (const node of descendantsOf(paragraph, ({ name }) => PROPERTIES.has(name))) {
    if (node.name === 'w:t') shown += source(node.openEnd, node.closeStart);
    // Range marks are empty elements outside runs.
    else if (!EMPTY.has(node.name) && (node.parent?.name === 'w:r' || node.children.length > 0)) return false;
  }
  return shown.trim() === pieces.map(({ start, end }) => source(start, end)).join('');
}

/**
 * Replaces a paragraph with blocks. The emptied paragraph stays after them if it ends a section, contains a range mark, separates
 * two tables, or ends a cell (ECMA-376-1 §17.4.65).
 */
export function replaceParagraph(
  editor: PackageEditor,
  story: Story,
  paragraph: XmlNode,
  blocks: string,
): void {
  const siblings = paragraph.parent?.children ?? [];
  const at = siblings.indexOf(paragraph);
  const [before, behind] = [siblings[at - 1], siblings[at + 1]];
  const apart = before?.name === 'w:tbl' ? story.dialect.element('p') : '';
  const properties = childOf(paragraph, 'w:pPr');
  const endsSection = properties !== undefined && childOf(properties, 'w:sectPr') !== undefined;
  const holdsMarks = paragraph.children.some(({ name }) => name !== 'w:pPr' && name !== 'w:r');
  if (behind?.name === 'w:p' && !endsSection && !holdsMarks) {
    editor.edit(story, { start: paragraph.start, end: paragraph.end, text: apart + blocks });
    return;
  }
  editor.edit(story, { start: paragraph.start, end: paragraph.start, text: apart + blocks });
  for (const { name, start, end } of descendantsOf(
    paragraph,
    ({ name }) => name === 'w:r' || name === 'w:pPr',
  ))
    if (name === 'w:r') editor.edit(story, { start, end, text: '' });
}
