import type { Inspector, Part } from '@scriptorium/ooxml/package';
import type { Edit, OpenTag, XmlVisitor } from '@scriptorium/ooxml/xml';

/** Where texts that are in no placeholder have their styles from. */
const STYLES = ['p:defaultTextStyle', 'p:otherStyle', 'a:objectDefaults', 'a:lstStyle'];
const LEVELS = ['a:defPPr', ...Array.from({ length: 9 }, (_, level) => `a:lvl${level + 1}pPr`)];

/**
 * Keeps the tab stops (ECMA-376-1 §21.1.2.2.14) of paragraphs in tables and text boxes whose indent of 0 is written.
 * LibreOffice forgets them there. Call `apply` when all parts were read: styles may have another indent.
 */
export function tabStops(): Inspector & { apply(): void } {
  const found: { part: Part; edit: Edit }[] = [];
  let isPlain = true;
  return {
    visit: (part) =>
      visitPart(
        (edit) => found.push({ part, edit }),
        () => {
          isPlain = false;
        },
      ),
    apply() {
      if (isPlain) for (const { part, edit } of found) part.edits.push(edit);
    },
  };
}

function visitPart(add: (edit: Edit) => void, seeIndent: () => void): XmlVisitor {
  let styles = 0;
  let isPlaceholder = false;
  let paragraph: OpenTag | undefined;
  const style = { open: () => void styles++, close: () => void styles-- };
  const level = {
    open(tag: OpenTag) {
      if (styles > 0 && !isPlaceholder && !/^0?$/.test(tag.attribute('indent') ?? '')) seeIndent();
    },
  };
  return {
    ...Object.fromEntries(STYLES.map((name) => [name, style])),
    ...Object.fromEntries(LEVELS.map((name) => [name, level])),
    'p:sp': {
      open() {
        isPlaceholder = false;
      },
    },
    'p:graphicFrame': {
      open() {
        isPlaceholder = false;
      },
    },
    'p:ph': {
      open() {
        isPlaceholder = true;
      },
    },
    'a:tbl': {
      open() {
        isPlaceholder = false;
      },
    },
    'a:pPr': {
      open(tag) {
        paragraph = isPlaceholder ? undefined : tag;
      },
    },
    'a:tabLst': {
      open({ depth, isEmpty }) {
        if (isEmpty || paragraph?.depth !== depth - 1) return;
        const indent = paragraph.attributes.find(({ name, value }) => name === 'indent' && value === '0');
        if (indent === undefined) return;
        const { start } = paragraph;
        add({ start: start + indent.start, end: start + indent.end, text: '' });
      },
    },
  };
}
