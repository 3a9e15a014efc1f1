import { applyEdits, childOf, descendantsOf, type Edit, type XmlNode } from '@scriptorium/ooxml/xml';
import type { Book } from './book.ts';
import { insertions, type Property, propertiesMarkup } from './properties.ts';
import { type MergedStyle, moved } from './style-book.ts';
import type { Style } from './style-sheet.ts';
import { type Theme, themeEdits } from './theme.ts';
import { attributeEdit, removal, valueEdit } from './tree.ts';

export interface StyleChanges {
  part: Book;
  theme: Theme | undefined;
  additions: readonly Property[];
  /** Whether it is a second style for the same one of the document. */
  isVariant: boolean;
  styleId(id: string, isBase: boolean): string;
  numId(id: string): string;
}

/** Children of a style that stand before its properties (CT_Style). */
const HEAD =
  /^w:(name|aliases|basedOn|next|link|autoRedefine|hidden|uiPriority|semiHidden|unhideWhenUsed|qFormat|locked|personal|personalCompose|personalReply|rsid)$/;

/** Adds an imported style to the styles of the merged document. */
export function writeStyle(style: Style, merged: MergedStyle, changes: StyleChanges): void {
  const { tree, node } = style;
  const { xml } = tree;
  const edits: Edit[] = [];
  const push = (edit: Edit | undefined) => edit !== undefined && edits.push(edit);
  push(valueEdit(xml, node, 'w:styleId', merged.id));
  const isRenamed = merged.name !== style.name;
  for (const attribute of node.attributes)
    if (attribute.name === 'w:default' || (isRenamed && attribute.name === 'w:customStyle'))
      edits.push(attributeEdit(node, attribute, ''));
  // A name that Word does not know must be that of a custom style.
  if (isRenamed && xml[node.openEnd - 2] !== '/')
    edits.push({ start: node.openEnd - 1, end: node.openEnd - 1, text: ' w:customStyle="1"' });
  for (const child of node.children) {
    const value = child.attributes.find(({ name }) => name === 'w:val')?.value ?? '';
    if (child.name === 'w:name') push(valueEdit(xml, child, 'w:val', merged.name));
    else if (child.name === 'w:aliases' && isRenamed) push(removal(child));
    else if (child.name === 'w:link' && changes.isVariant) push(removal(child));
    else if (child.name === 'w:basedOn' || child.name === 'w:next' || child.name === 'w:link')
      push(valueEdit(xml, child, 'w:val', changes.styleId(value, child.name === 'w:basedOn')));
  }
  for (const inner of descendantsOf(node)) {
    if (inner.name === 'w:numId') {
      const value = inner.attributes.find(({ name }) => name === 'w:val')?.value ?? '';
      push(valueEdit(xml, inner, 'w:val', changes.numId(value)));
    } else if (changes.theme !== undefined) edits.push(...themeEdits(inner, xml, changes.theme));
  }
  edits.push(...additionEdits(node, changes.additions, xml));
  const text = applyEdits(xml.slice(node.start, node.end), moved(edits, node.start));
  changes.part.add(text, changes.part.namesFor(tree), undefined);
}

function additionEdits(node: XmlNode, additions: readonly Property[], xml: string): Edit[] {
  const edits: Edit[] = [];
  for (const group of ['p', 'r'] as const) {
    const added = additions.filter((property) => property.group === group);
    if (added.length === 0) continue;
    const own = childOf(node, `w:${group}Pr`);
    if (own !== undefined) {
      edits.push(...insertions(own, group, added, xml));
      continue;
    }
    const isBefore = ({ name }: XmlNode) => HEAD.test(name) || (group === 'r' && name === 'w:pPr');
    const next = node.children.find((child) => !isBefore(child));
    const at = next?.start ?? node.closeStart;
    edits.push({ start: at, end: at, text: propertiesMarkup(group, added) });
  }
  return edits;
}
