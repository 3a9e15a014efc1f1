import type { Inspector, Part } from '@scriptorium/ooxml/package';
import { type ElementSpan, type OpenTag, prefixAt, type XmlVisitor } from '@scriptorium/ooxml/xml';

/** `builtinId` of the style Normal (ECMA-376-1 §18.8.7). */
const NORMAL = '0';

/**
 * Names the style Normal of a workbook that does not. Excel takes the first format for it (ECMA-376-1 §18.8.9), but
 * LibreOffice would show cells without a format of their own in its own font.
 */
export function normalStyle(): Inspector {
  return { visit: visitStyles };
}

function visitStyles(part: Part): XmlVisitor {
  const { edits, xml = '' } = part;
  let prefix = '';
  let hasFormats = false;
  let hasNormal = false;
  let unmarked: OpenTag | undefined;
  let styles: OpenTag | undefined;
  let cells: ElementSpan | undefined;
  const insert = (at: number, text: string) => edits.push({ start: at, end: at, text });
  const name = () => {
    const style = `<${prefix}cellStyle name="Normal" xfId="0" builtinId="${NORMAL}"/>`;
    const all = `<${prefix}cellStyles count="1">${style}</${prefix}cellStyles>`;
    if (unmarked) insert(unmarked.end - (unmarked.isEmpty ? 2 : 1), ` builtinId="${NORMAL}"`);
    else if (styles?.isEmpty) edits.push({ start: styles.start, end: styles.end, text: all });
    else if (styles) insert(styles.end, style);
    else if (cells) insert(cells.end, all);
  };
  return {
    'x:styleSheet': {
      open({ start, end }) {
        prefix = prefixAt(xml, { start, end });
      },
      close: () => void (hasNormal || name()),
    },
    'x:cellStyleXfs': {
      open() {
        hasFormats = true;
      },
    },
    'x:cellXfs': {
      open({ start }) {
        const format = `<${prefix}xf numFmtId="0" fontId="0" fillId="0" borderId="0"/>`;
        if (!hasFormats) insert(start, `<${prefix}cellStyleXfs count="1">${format}</${prefix}cellStyleXfs>`);
      },
      close(span) {
        cells = span;
      },
    },
    'x:cellStyles': {
      open(tag) {
        styles = tag;
      },
    },
    'x:cellStyle': {
      open(tag) {
        const builtin = tag.attribute('builtinId');
        if (builtin === NORMAL) hasNormal = true;
        if (builtin === undefined && tag.attribute('name') === 'Normal') unmarked ??= tag;
      },
    },
  };
}
