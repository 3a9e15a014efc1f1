import { ancestorsOf, childOf, type XmlNode } from '@scriptorium/ooxml/xml';
import { removeElement } from '../fields/attributes.ts';
import type { PreparedField } from '../fields/field-type.ts';
import { invalidField } from '../fields/invalid.ts';
import { styleOfRun } from '../fields/run-style.ts';
import { unbind } from '../fields/unbind.ts';
import type { PackageEditor } from '../package-editor.ts';
import type { Story } from '../template/story.ts';
import { isAlone, replaceParagraph } from './paragraph.ts';
import type { Placeholder } from './placeholders.ts';
import { type Cut, editText, frameOf } from './text-edits.ts';

/** A placeholder with its value. */
export interface Assignment {
  placeholder: Placeholder;
  field: PreparedField;
  /** Path of the field in the caller's request: `fields[3]`. */
  path: string;
}

/**
 * Replaces placeholders with values. Throws TemplateError: VALIDATION_ERROR if a value needs a separate paragraph and
 * the placeholder shares its paragraph, DOCUMENT_TOO_COMPLEX from the editor.
 */
export function fillPlaceholders(editor: PackageEditor, assignments: readonly Assignment[]): void {
  const cuts = new Map<XmlNode, Cut[]>();
  const propertiesOf = propertiesOfRuns();
  let chars = 0;
  for (const assignment of assignments) {
    const { placeholder } = assignment;
    const replacement = replace(editor, assignment, propertiesOf);
    if (replacement === undefined) continue;
    chars += replacement.length;
    editor.reserve(chars);
    const [first, ...others] = placeholder.pieces;
    for (const piece of others) addCut(cuts, { ...piece, runs: '' });
    addCut(cuts, { ...first, runs: replacement });
  }
  for (const { placeholder } of assignments) editCuts(editor, placeholder, cuts, propertiesOf);
}

type PropertiesOf = (run: XmlNode) => XmlNode | undefined;

/** Caches run properties, because a run may contain very many texts. */
function propertiesOfRuns(): PropertiesOf {
  const known = new Map<XmlNode, XmlNode | undefined>();
  return (run) => {
    if (!known.has(run)) known.set(run, childOf(run, 'w:rPr'));
    return known.get(run);
  };
}

/** Returns the runs that replace a placeholder, unless its paragraph or row was replaced. */
function replace(
  editor: PackageEditor,
  { placeholder, field, path }: Assignment,
  propertiesOf: PropertiesOf,
): string | undefined {
  const { story, pieces } = placeholder;
  const { text } = pieces[0];
  const [run, paragraph] = [around(text, 'w:r'), around(text, 'w:p')];
  if (run === undefined || paragraph === undefined) throw new Error('a placeholder is outside a paragraph');
  const row = around(paragraph, 'w:tr');
  const style = styleOfRun(propertiesOf(run), story, editor.template.promptStyles);
  const replacement = field.replacePlaceholder({ story, text, run, row, style });
  releaseControls(editor, story, text);
  if (replacement === undefined) return undefined;
  if ('runs' in replacement) return replacement.runs;
  if (!isAlone(placeholder, paragraph))
    throw invalidField(`${path}.id`, 'matches a placeholder that shares its paragraph with other content');
  replaceParagraph(editor, story, paragraph, replacement.blocks);
  return undefined;
}

/** The controls around a filled place now show content: removes the prompt mark and data bindings. */
export function releaseControls(editor: PackageEditor, story: Story, place: XmlNode): void {
  for (const outer of ancestorsOf(place)) {
    const properties = outer.name === 'w:sdt' ? childOf(outer, 'w:sdtPr') : undefined;
    if (properties === undefined) continue;
    removeElement(editor, story, childOf(properties, 'w:showingPlcHdr'));
    unbind(editor, { story, properties });
  }
}

function addCut(cuts: Map<XmlNode, Cut[]>, cut: Cut): void {
  const known = cuts.get(cut.text);
  if (known === undefined) cuts.set(cut.text, [cut]);
  else known.push(cut);
}

function editCuts(
  editor: PackageEditor,
  { story, pieces }: Placeholder,
  cuts: Map<XmlNode, Cut[]>,
  propertiesOf: PropertiesOf,
): void {
  for (const { text } of pieces) {
    const [first, ...others] = cuts.get(text)?.toSorted((a, b) => a.start - b.start) ?? [];
    cuts.delete(text);
    const run = text.parent;
    if (first === undefined || run === undefined) continue;
    const frame = frameOf(run, propertiesOf(run), story);
    // The remaining text is in separate runs, each with the same properties.
    editor.reserve((others.length + 2) * (frame.open.length + frame.close.length));
    editor.edit(story, editText(story, [first, ...others], frame));
  }
}

/** The innermost element with this name around another. Does not leave a text box. */
function around(node: XmlNode, wanted: string): XmlNode | undefined {
  for (const outer of ancestorsOf(node)) {
    if (outer.name === wanted) return outer;
    if (outer.name === 'w:txbxContent') return undefined;
  }
  return undefined;
}
