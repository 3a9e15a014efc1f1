import type { ElementSpan, OpenTag, XmlVisitor } from '@scriptorium/ooxml/xml';
import type { PropertyReader } from './properties.ts';
import type { Story } from './story.ts';

const VERTICAL_MERGES: Readonly<Record<string, string>> = { rest: 'restart', cont: 'continue' };

/** The `vMerge` element for the cell in this mode (ECMA-376-1 §17.13.5.1). Empty if it is not merged. */
function verticalMerge(tag: OpenTag, story: Story): string {
  const merge = tag.attribute(story.mode === 'final' ? 'w:vMerge' : 'w:vMergeOrig') ?? '';
  const value = VERTICAL_MERGES[merge];
  if (value === undefined) return '';
  const written = story.text.written(tag.start, tag.end);
  const element = /^<([^\s/>:]+:)?/.exec(written)?.[1] ?? '';
  const attribute = /\s([^\s=:]+:)vMerge/.exec(written)?.[1] ?? element;
  return `<${element}vMerge ${attribute}val="${value}"/>`;
}

/** Handles cells that were inserted, deleted, merged or split. */
export function cellVisitor(story: Story, reader: PropertyReader): XmlVisitor {
  const { text } = story;
  /** The properties of the current cell, unless they are former ones. */
  const current = () => {
    const properties = reader.current;
    return properties?.name === 'w:tcPr' && !properties.isInRecord && !properties.isFormer
      ? properties
      : undefined;
  };
  let before = 0;
  let merged: ElementSpan | undefined;
  const comesBefore = {
    close: ({ end }: ElementSpan) => {
      if (current() !== undefined) before = end;
    },
  };
  const marked = (goneIn: Story['mode']) => ({
    open: () => {
      const cell = story.table?.row?.cell;
      if (story.mode === goneIn && cell !== undefined && current() !== undefined) cell.isGone = true;
    },
    close: (span: ElementSpan) => text.remove(span),
  });
  return {
    'w:cnfStyle': comesBefore,
    'w:tcW': comesBefore,
    'w:gridSpan': comesBefore,
    'w:hMerge': comesBefore,
    'w:vMerge': {
      close: (span) => {
        if (current() !== undefined) merged = span;
      },
    },
    'w:cellIns': marked('original'),
    'w:cellDel': marked('final'),
    'w:cellMerge': {
      open: (tag) => {
        const properties = current();
        if (properties === undefined) return;
        const place = Math.max(before, properties.openEnd);
        text.replace(place, place, verticalMerge(tag, story));
        if (merged !== undefined && merged.start > properties.start) text.remove(merged);
      },
      close: (span) => text.remove(span),
    },
  };
}
