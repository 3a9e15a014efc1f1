import type { Inspector, Part } from '@scriptorium/ooxml/package';
import { type Edit, type OpenTag, prefixAt, type XmlVisitor } from '@scriptorium/ooxml/xml';

/**
 * By what lines in tables must grow to be 1.2 times as high as the font, as PowerPoint sets them. LibreOffice leaves the line
 * gap of a font out in tables, and takes its ascent and descent only.
 */
const GROWTH: ReadonlyMap<string, number> = new Map([
  ['calibri', 1.2],
  // Its copy has the line gap in its ascent.
  ['calibri light', 1.2 / 1.221],
  ['cambria', 1.2 / 1.172],
  ['arial', 1.2 / 1.117],
]);
/** The fonts of the theme for bodies and for headings (ECMA-376-1 §20.1.4.1). */
const [BODY, HEADING] = ['+mn-lt', '+mj-lt'];
const PERCENT = /^\d{1,7}$/;
const WHOLE = '100000';

interface Paragraph {
  depth: number;
  /** Behind its start tag. */
  start: number;
  prefix: string;
  fonts: Set<string>;
  properties?: OpenTag;
  /** The spacing of its lines in percent, and whether it is in points. */
  percent?: OpenTag;
  isExact?: boolean;
}

type Themes = ReadonlyMap<string, Set<string>>;

/** Makes lines in tables of slides as high as in PowerPoint. Call `apply` when all parts, also themes, were read. */
export function tableLines(): Inspector & { apply(): void } {
  const found: { part: Part; paragraph: Paragraph }[] = [];
  const themes: Themes = new Map([BODY, HEADING].map((name) => [name, new Set()]));
  /** Empty if themes differ. */
  const resolve = (font: string) => {
    const [only = '', ...more] = themes.get(font) ?? [font];
    return more.length === 0 ? only.toLowerCase() : '';
  };
  return {
    visit: (part) => visitPart(part, themes, (paragraph) => found.push({ part, paragraph })),
    apply() {
      for (const { part, paragraph } of found) {
        const [font = '', ...others] = new Set([...paragraph.fonts].map(resolve));
        const growth = GROWTH.get(font);
        if (growth !== undefined && others.length === 0) part.edits.push(...editsOf(paragraph, growth));
      }
    },
  };
}

function visitPart({ xml = '' }: Part, themes: Themes, add: (paragraph: Paragraph) => void): XmlVisitor {
  let cells = 0;
  let paragraph: Paragraph | undefined;
  let font: string | undefined;
  let theme: Set<string> | undefined;
  let isSpacing = false;
  const run = {
    open: () => {
      font = BODY;
    },
    close: () => {
      if (font !== undefined) paragraph?.fonts.add(font);
      font = undefined;
    },
  };
  const fontsOf = (name: string) => ({
    open: () => {
      theme = themes.get(name);
    },
    close: () => {
      theme = undefined;
    },
  });
  return {
    'a:minorFont': fontsOf(BODY),
    'a:majorFont': fontsOf(HEADING),
    'a:tc': { open: () => void cells++, close: () => void cells-- },
    'a:p': {
      open({ depth, start, end, isEmpty }) {
        if (cells === 0 || isEmpty) return;
        const prefix = prefixAt(xml, { start, end });
        paragraph = { depth, start: end, prefix, fonts: new Set() };
      },
      close() {
        if (paragraph && paragraph.fonts.size === 0) paragraph.fonts.add(BODY);
        if (paragraph && !paragraph.isExact) add(paragraph);
        paragraph = undefined;
      },
    },
    'a:r': run,
    'a:fld': run,
    'a:latin': {
      open(tag) {
        const typeface = tag.attribute('typeface') ?? '';
        theme?.add(typeface);
        if (font !== undefined) font = typeface;
      },
    },
    'a:pPr': {
      open(tag) {
        if (paragraph?.depth === tag.depth - 1) paragraph.properties = tag;
      },
    },
    'a:lnSpc': {
      open: () => {
        isSpacing = true;
      },
      close: () => {
        isSpacing = false;
      },
    },
    'a:spcPct': {
      open(tag) {
        if (paragraph && isSpacing) paragraph.percent = tag;
      },
    },
    'a:spcPts': {
      open() {
        if (paragraph && isSpacing) paragraph.isExact = true;
      },
    },
  };
}

function editsOf({ start, prefix, properties, percent }: Paragraph, growth: number): Edit[] {
  const value = percent?.attribute('val') ?? WHOLE;
  if (!PERCENT.test(value) || percent?.isEmpty === false) return [];
  const grown = `<${prefix}spcPct val="${Math.round(Number(value) * growth)}"/>`;
  if (percent) return [{ start: percent.start, end: percent.end, text: grown }];
  const spacing = `<${prefix}lnSpc>${grown}</${prefix}lnSpc>`;
  if (properties === undefined)
    return [{ start, end: start, text: `<${prefix}pPr>${spacing}</${prefix}pPr>` }];
  if (!properties.isEmpty) return [{ start: properties.end, end: properties.end, text: spacing }];
  // Its attributes stay.
  return [{ start: properties.end - 2, end: properties.end, text: `>${spacing}</${prefix}pPr>` }];
}
