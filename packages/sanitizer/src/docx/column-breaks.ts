import type { Inspector, Part } from '@scriptorium/ooxml/package';
import { type Edit, type OpenTag, prefixAt, type XmlVisitor } from '@scriptorium/ooxml/xml';

/** What is shown behind a break in the same paragraph. */
const SHOWN = new Set([
  ...[
    'w:t',
    'w:tab',
    'w:ptab',
    'w:br',
    'w:cr',
    'w:sym',
    'w:noBreakHyphen',
    'w:fldChar',
    'w:fldSimple',
    'w:sdt',
  ],
  ...[
    'w:drawing',
    'w:pict',
    'w:object',
    'w:ruby',
    'w:footnoteReference',
    'w:endnoteReference',
    'w:hyperlink',
  ],
  ...['mc:AlternateContent', 'm:oMath', 'm:oMathPara'],
]);
/** Marks between paragraphs. */
const MARKS = new Set([
  'w:bookmarkStart',
  'w:bookmarkEnd',
  'w:proofErr',
  'w:commentRangeStart',
  'w:commentRangeEnd',
]);
/** Properties of a paragraph that begins elsewhere anyway. */
const ELSEWHERE = new Set(['w:framePr', 'w:pageBreakBefore', 'w:sectPr']);

const COLUMN = /column|&#/;

interface Paragraph {
  depth: number;
  prefix: string;
  /** Behind the start tag, or behind the properties. */
  contentStart: number;
  isElsewhere: boolean;
  /** The column break that is the last thing in it. */
  last?: OpenTag | undefined;
  /** The break at the end of the paragraph before. */
  before?: OpenTag | undefined;
}

/**
 * Moves a column break at the end of a paragraph to the next one. In Word, the mark of the paragraph stays in the column of the
 * break, unless the document asks otherwise (ECMA-376-1 §17.15.3). In LibreOffice it begins the next column, a line too
 * low. Call `apply` when all parts were read.
 */
export function columnBreaks(): Inspector & { apply(): void } {
  const found: { part: Part; edits: Edit[] }[] = [];
  let isSplit = false;
  return {
    visit: (part) => {
      const edits: Edit[] = [];
      found.push({ part, edits });
      return {
        // Few documents have one, and the others are spared a look at each element.
        ...(COLUMN.test(part.xml ?? '') ? visitParagraphs(part.xml ?? '', edits) : {}),
        'w:splitPgBreakAndParaMark': {
          open: (tag) => {
            isSplit = !['0', 'false', 'off'].includes(tag.attribute('w:val') ?? '');
          },
        },
      };
    },
    apply: () => {
      if (!isSplit) for (const { part, edits } of found) part.edits.push(...edits);
    },
  };
}

function visitParagraphs(xml: string, edits: Edit[]): XmlVisitor {
  const open: Paragraph[] = [];
  /** The paragraph that has just ended. */
  let ended: { depth: number; last: OpenTag } | undefined;
  return {
    '*': {
      open(tag) {
        const { name, depth, start, end, isEmpty } = tag;
        if (MARKS.has(name)) return;
        const paragraph = open.at(-1);
        const before = ended?.depth === depth && name === 'w:p' && !isEmpty ? ended.last : undefined;
        ended = undefined;
        if (name === 'w:p') {
          const prefix = prefixAt(xml, { start, end });
          open.push({ depth, prefix, contentStart: end, isElsewhere: false, before });
        } else if (paragraph && ELSEWHERE.has(name) && depth === paragraph.depth + 2)
          paragraph.isElsewhere = true;
        else if (paragraph && SHOWN.has(name)) paragraph.last = isColumnBreak(tag) ? tag : undefined;
      },
    },
    'w:pPr': {
      close({ end }) {
        const paragraph = open.at(-1);
        if (paragraph) paragraph.contentStart = end;
      },
    },
    'w:p': {
      close() {
        const paragraph = open.pop();
        if (paragraph === undefined) return;
        const { prefix, contentStart: at, before, last, isElsewhere, depth } = paragraph;
        if (before && !isElsewhere) {
          const moved = `<${prefix}r><${prefix}br ${prefix}type="column"/></${prefix}r>`;
          edits.push({ start: before.start, end: before.end, text: '' }, { start: at, end: at, text: moved });
        }
        if (last && !isElsewhere) ended = { depth, last };
      },
    },
  };
}

const isColumnBreak = (tag: OpenTag): boolean =>
  tag.name === 'w:br' && tag.isEmpty && tag.attribute('w:type') === 'column';
