import { ancestorsOf, childOf, descendantsOf, type XmlNode } from '@scriptorium/shared/ooxml/xml-tree';
import type { Draft } from '../draft.ts';
import type { PreparedField } from '../fields/field-type.ts';
import { invalidField } from '../fields/invalid.ts';
import { placeholderStyle } from '../fields/run-style.ts';
import { isAlone, replaceParagraph } from './paragraph.ts';
import type { Placeholder } from './placeholders.ts';
import { type Cut, editText } from './text-edits.ts';

/** What fills a placeholder. */
export interface Assignment {
  placeholder: Placeholder;
  field: PreparedField;
  /** Of the field in the caller's request: `fields[3]`. */
  path: string;
}

/**
 * Puts values in place of placeholders. Throws AppError VALIDATION_ERROR where a value needs a paragraph of its own and
 * the placeholder shares its one.
 */
export function fillPlaceholders(draft: Draft, assignments: readonly Assignment[]): void {
  const cuts = new Map<XmlNode, Cut[]>();
  for (const { placeholder, field, path } of assignments) {
    const { story, pieces } = placeholder;
    const [first, ...others] = pieces;
    const run = around(first.text, 'w:r');
    const paragraph = around(first.text, 'w:p');
    if (run === undefined || paragraph === undefined) throw new Error('a placeholder outside of a paragraph');
    const row = around(paragraph, 'w:tr');
    const style = placeholderStyle(run, story, draft.template.promptStyles);
    const replacement = field.replacePlaceholder({ story, run, row, style });
    endPrompts(draft, placeholder, paragraph);
    if ('runs' in replacement) {
      for (const piece of others) addCut(cuts, { ...piece, runs: '' });
      addCut(cuts, { ...first, runs: replacement.runs });
    } else if ('rows' in replacement) {
      if (row === undefined) throw new Error('rows outside of a table');
      draft.edit(story, { start: row.start, end: row.end, text: replacement.rows });
    } else {
      if (!isAlone(placeholder, paragraph))
        throw invalidField(`${path}.id`, 'names a placeholder with other content in its paragraph');
      replaceParagraph(draft, story, paragraph, replacement.blocks);
    }
  }
  for (const { placeholder } of assignments) editCuts(draft, placeholder, cuts);
}

function addCut(cuts: Map<XmlNode, Cut[]>, cut: Cut): void {
  const known = cuts.get(cut.text);
  if (known === undefined) cuts.set(cut.text, [cut]);
  else known.push(cut);
}

function editCuts(draft: Draft, { story, pieces }: Placeholder, cuts: Map<XmlNode, Cut[]>): void {
  for (const { text } of pieces) {
    const [first, ...others] = cuts.get(text)?.toSorted((a, b) => a.start - b.start) ?? [];
    cuts.delete(text);
    if (first !== undefined) draft.edit(story, editText(story, [first, ...others]));
  }
}

/** The innermost element of that name around another, within the same story. */
function around(node: XmlNode, name: string): XmlNode | undefined {
  for (const outer of ancestorsOf(node)) if (outer.name === name) return outer;
  return undefined;
}
