import type { Inspector, Part } from '@scriptorium/ooxml/package';
import type { ElementHandler, ElementSpan, OpenTag, XmlVisitor } from '@scriptorium/ooxml/xml';
import { cellVisitor } from './cells.ts';
import { anchorVisitor, changeVisitor, runVisitor } from './content.ts';
import { ControlRanges, controlVisitor } from './controls.ts';
import { FormulaReader } from './math.ts';
import { mayHoldRevisions, type RevisionMode } from './names.ts';
import { Notes } from './notes.ts';
import { levelVisitor, paragraphVisitor } from './paragraphs.ts';
import { PartText } from './part-text.ts';
import { type Properties, PropertyReader, propertyVisitor } from './properties.ts';
import { Story } from './story.ts';
import { tableVisitor } from './tables.ts';

/** Skips everything inside removed content, except its end. */
function unlessRemoved(story: Story, { open, close }: ElementHandler): ElementHandler {
  return {
    open: (tag: OpenTag) => {
      if (!story.isRemoving) open?.(tag);
    },
    close: (span: ElementSpan) => {
      if (story.isRemoving) story.endRemoval(span);
      if (!story.isRemoving) close?.(span);
    },
  };
}

/** Rows and cells are marked as removed in their properties, so the removal begins after these. */
function beginTableRemoval(story: Story, closed: Properties): void {
  const row = story.table?.row;
  const isOfRow = closed.name === 'w:trPr' && closed.outer === undefined;
  const isOfCell = closed.name === 'w:tcPr' && closed.outer === undefined;
  if (isOfRow && row?.isGone === true) story.beginRemoval(row.start);
  else if (isOfCell && row?.cell?.isGone === true) story.beginRemoval(row.cell.start);
}

function resolver(mode: RevisionMode, part: Part, xml: string, notes: Notes): XmlVisitor {
  const story = new Story(mode, new PartText(xml, part.edits));
  const properties = new PropertyReader(story);
  const formulas = new FormulaReader(story);
  const ranges = new ControlRanges(story);
  const runs = runVisitor(story, formulas);
  const onProperties = (closed: Properties, span: ElementSpan) => {
    if (closed.outer !== undefined) return;
    if (closed.name === 'w:rPr') runs.skipProperties(span);
    else beginTableRemoval(story, closed);
  };
  const visitors: XmlVisitor = {
    ...paragraphVisitor(story),
    ...notes.noteVisitor(story, part),
    ...tableVisitor(story),
    ...controlVisitor(story, ranges),
    ...formulas.visitor,
    ...runs.visitor,
    ...propertyVisitor(story, properties, onProperties),
    ...cellVisitor(story, properties),
    ...changeVisitor(story, properties, formulas),
  };
  const guarded = Object.entries(visitors).map(([name, handler]) => [name, unlessRemoved(story, handler)]);
  return {
    ...levelVisitor(story),
    ...anchorVisitor(story),
    ...ranges.visitor,
    ...notes.referenceVisitor(story, part),
    ...Object.fromEntries(guarded),
  };
}

/**
 * Resolves all tracked changes while one document is opened: `final` accepts each, `original` rejects each
 * (ECMA-376-1 §17.13.5). Removes all revision marks and turns tracking off. A part without tracked changes gets no
 * edit. Time is linear in the length.
 */
export function resolveRevisions(mode: RevisionMode): Inspector {
  const notes = new Notes();
  return {
    visit: (part) => {
      const { xml } = part;
      if (xml === undefined || !(mayHoldRevisions(xml) || notes.lacksReferences(part))) return undefined;
      return resolver(mode, part, xml, notes);
    },
  };
}
