import { childOf, descendantsOf, type XmlNode } from '@scriptorium/ooxml/xml';
import type { PackageEditor } from '../package-editor.ts';
import type { Control } from '../template/controls.ts';
import type { Dialect } from '../template/dialect.ts';
import { removeElement } from './attributes.ts';
import { rangesIn, withDescendants } from './ranges.ts';

/** New content of a control, as WordprocessingML. The control's position decides which method is called. */
export interface Content {
  /** Runs, for a control in a paragraph. Run content, for a control inside a run. */
  inline(isInRun: boolean): string;
  /** Runs of each paragraph, or whole blocks. `change` adapts the paragraph properties of the old content. */
  block(paragraph: (runs: string, change?: (properties: string) => string) => string): string;
}

/** Replaces the content of a control, and removes the mark of a prompt. */
export function replaceContent(editor: PackageEditor, control: Control, content: Content): void {
  const { story } = control;
  const { xml, dialect } = story;
  endPrompt(editor, control);
  const target = targetOf(control);
  editor.replaced.add([target], control.node);
  const ranges = rangesIn(withDescendants(target.children), xml);
  if (control.level === 'inline') {
    put(
      editor,
      control,
      target,
      ranges.starts + content.inline(isInRun(control)) + ranges.ends + ranges.references,
    );
    return;
  }
  const properties = firstParagraphProperties(target, xml);
  // Only in the first paragraph, because a range begins once.
  let { starts, references } = ranges;
  let last: { properties: string; inner: string } | undefined;
  let chars = 0;
  const paragraph = (runs: string, change = (own: string) => own) => {
    const inner = starts + runs + references;
    starts = '';
    references = '';
    chars += properties.length + inner.length;
    editor.reserve(chars);
    last = { properties: change(properties), inner };
    return dialect.element('p', {}, last.properties + inner);
  };
  let blocks = content.block(paragraph);
  if (references !== '') blocks += paragraph('');
  const isCell = target.name === 'w:tc';
  // A cell must end in a paragraph (ECMA-376-1 §17.4.65), so ranges end in that. Elsewhere they end after all content.
  const [inside, behind] = isCell ? [ranges.ends, ''] : ['', ranges.ends];
  const section = isCell ? '' : sectionIn(target, xml);
  if (inside + section !== '') {
    const { properties: own, inner } = last ?? { properties, inner: '' };
    const written = last === undefined ? '' : dialect.element('p', {}, own + inner);
    const isLast = blocks.endsWith(written);
    const changed = withSection(isLast ? own : properties, section, dialect) + (isLast ? inner : '') + inside;
    blocks =
      blocks.slice(0, blocks.length - (isLast ? written.length : 0)) + dialect.element('p', {}, changed);
  }
  const cellProperties = isCell ? childOf(target, 'w:tcPr') : undefined;
  const kept = cellProperties === undefined ? '' : sourceOf(cellProperties, xml);
  put(editor, control, target, kept + starts + blocks + behind);
}

/** Some editors put controls into runs, around the run content. */
function isInRun({ node, content }: Control): boolean {
  return node.parent?.name === 'w:r' && childOf(content, 'w:r') === undefined;
}

/** Removes the mark that a control shows a prompt. */
export function endPrompt(editor: PackageEditor, { story, properties }: Control): void {
  removeElement(editor, story, properties && childOf(properties, 'w:showingPlcHdr'));
}

/** The element whose content is replaced: the control's own, or the first cell of a control around cells or rows. */
export function targetOf({ level, content }: Control): XmlNode {
  if (level !== 'row' && level !== 'cell') return content;
  for (const inner of descendantsOf(content, ({ name }) => name === 'w:tc'))
    if (inner.name === 'w:tc') return inner;
  return content;
}

function put(editor: PackageEditor, { story, content }: Control, target: XmlNode, inner: string): void {
  const { start, openEnd, closeStart, end } = target;
  const isEmptyElement = openEnd === end && story.xml[end - 2] === '/';
  if (!isEmptyElement) {
    editor.edit(story, { start: openEnd, end: closeStart, text: inner });
    return;
  }
  if (editor.isFlattened && target === content) {
    editor.edit(story, { start, end, text: inner });
    return;
  }
  const tag = story.xml.slice(start, end - 2).trimEnd();
  const name = /^<([^\s/>]+)/.exec(tag)?.[1] ?? '';
  editor.edit(story, { start, end, text: `${tag}>${inner}</${name}>` });
}

export function sourceOf({ start, end }: XmlNode, xml: string): string {
  return xml.slice(start, end);
}

function firstParagraphProperties(target: XmlNode, xml: string): string {
  for (const node of descendantsOf(target)) {
    if (node.name !== 'w:p') continue;
    const properties = childOf(node, 'w:pPr');
    return properties === undefined ? '' : withoutSection(properties, xml);
  }
  return '';
}

/** The first section properties in the content, which apply to everything before them. */
function sectionIn(target: XmlNode, xml: string): string {
  const isOther = ({ name }: XmlNode) => name === 'w:tbl' || name === 'w:r' || name === 'w:pPrChange';
  for (const node of descendantsOf(target, isOther)) if (node.name === 'w:sectPr') return sourceOf(node, xml);
  return '';
}

/** Paragraph properties with a section end, which is the last child except for a change record (§17.3.1.26). */
function withSection(properties: string, section: string, { element }: Dialect): string {
  if (section === '') return properties;
  const end = properties.lastIndexOf('</');
  return end === -1
    ? element('pPr', {}, section)
    : properties.slice(0, end) + section + properties.slice(end);
}

/** Paragraph properties for several paragraphs, without a section end and without a change record. */
function withoutSection(properties: XmlNode, xml: string): string {
  return without(properties, xml, new Set(['w:sectPr', 'w:pPrChange']));
}

/** The source of an element without its descendants with these names. */
export function without(node: XmlNode, xml: string, names: ReadonlySet<string>): string {
  let text = '';
  let at = node.start;
  for (const inner of descendantsOf(node, ({ name }) => names.has(name))) {
    if (!names.has(inner.name)) continue;
    text += xml.slice(at, inner.start);
    at = inner.end;
  }
  return text + xml.slice(at, node.end);
}
