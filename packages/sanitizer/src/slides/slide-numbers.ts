import type { Inspector, Part } from '@scriptorium/ooxml/package';
import { prefixAt, type XmlVisitor } from '@scriptorium/ooxml/xml';

/**
 * Writes the numbers of slides that do not begin at 1 (`firstSlideNum`, ECMA-376-1 §19.2.1.26) as text: LibreOffice numbers slides
 * from 1. Fields of layouts and masters stay, since all their slides share them.
 */
export function slideNumbers(): Inspector {
  let first = 1;
  const numbers = new Map<string, number>();
  return {
    visit(part) {
      const number = numbers.get(part.key);
      if (number !== undefined) return visitFields(part, number);
      const targets = new Map(part.relationships.list.map(({ id, part: target }) => [id, target]));
      return {
        'p:presentation': {
          open(tag) {
            first = Number(tag.attribute('firstSlideNum') ?? 1);
          },
        },
        'p:sldId': {
          open(tag) {
            const slide = targets.get(tag.attribute('r:id') ?? '');
            if (first !== 1 && Number.isSafeInteger(first) && slide !== undefined)
              numbers.set(slide, first + numbers.size);
          },
        },
      };
    },
  };
}

function visitFields({ xml = '', edits }: Part, number: number): XmlVisitor {
  let field: { prefix: string; isWritten: boolean } | undefined;
  const textOf = (prefix: string): string => `<${prefix}t>${number}</${prefix}t>`;
  return {
    'a:fld': {
      open(tag) {
        if (tag.attribute('type') !== 'slidenum' || tag.isEmpty) return;
        field = { prefix: prefixAt(xml, tag), isWritten: false };
        edits.push({ start: tag.start, end: tag.end, text: `<${field.prefix}r>` });
      },
      close({ closeStart, end }) {
        if (field === undefined) return;
        const text = field.isWritten ? '' : textOf(field.prefix);
        edits.push({ start: closeStart, end, text: `${text}</${field.prefix}r>` });
        field = undefined;
      },
    },
    // A run has none.
    'a:pPr': {
      close({ start, end }) {
        if (field) edits.push({ start, end, text: '' });
      },
    },
    'a:t': {
      close({ start, end }) {
        if (field === undefined) return;
        edits.push({ start, end, text: field.isWritten ? '' : textOf(field.prefix) });
        field.isWritten = true;
      },
    },
  };
}
