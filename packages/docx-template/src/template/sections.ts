import { attributeOf, childOf, type XmlNode } from '@scriptorium/ooxml/xml';
import { twipsOf } from './measures.ts';
import type { Story } from './story.ts';

/** The room of a section (ECMA-376-1 §17.6), in twips. */
export interface Section {
  /** Offset of its end in the text of the main part. */
  end: number;
  /** Width between the margins of the page. */
  textTwips: number;
  /** Width of its narrowest column. */
  columnTwips: number;
  heightTwips: number;
  /** Part keys of its headers and footers. */
  margins: ReadonlySet<string>;
}

/** Word's default: Letter with margins of one inch. */
const PAGE = { width: 12_240, height: 15_840, margin: 1_440 };
const COLUMN_GAP_TWIPS = 720;
/** Minimum plausible room. A section with less is ignored. */
const ROOM_TWIPS_MIN = 360;
/** Elements that contain no paragraph that could end a section. */
const WITHOUT_SECTIONS = new Set(['w:tbl', 'w:r', 'w:sdtPr', 'w:pPrChange', 'w:sectPrChange']);

/** The sections of a document in order, at least one. */
export function sectionsOf(stories: readonly Story[]): Section[] {
  const main = stories.find(({ place }) => place === 'body');
  const found = main === undefined ? [] : [...properties(main.root)];
  const links = linksOf(main);
  const sections = found.map(({ node, end }) => read(node, end, links));
  return sections.length > 0 ? sections : [read(undefined, Infinity, links)];
}

/** The section of a place: in the main part by offset, else the first that refers to the header or footer. */
export function sectionOf(sections: readonly Section[], place: XmlNode, story: Story): Section {
  const isMain = story.place === 'body';
  const found = sections.find(({ end, margins }) =>
    isMain ? place.start < end : margins.has(story.part.key),
  );
  const section = found ?? (isMain ? sections.at(-1) : sections[0]);
  if (section === undefined) throw new Error('the document has no section');
  return section;
}

function* properties(node: XmlNode): Generator<{ node: XmlNode; end: number }> {
  for (const child of node.children) {
    if (WITHOUT_SECTIONS.has(child.name)) continue;
    if (child.name !== 'w:sectPr') yield* properties(child);
    // Section properties in a paragraph apply up to the end of that paragraph.
    else yield { node: child, end: node.name === 'w:pPr' ? (node.parent?.end ?? node.end) : Infinity };
  }
}

/** Keys of the parts to which the main part refers, by relationship id. */
type Links = ReadonlyMap<string, string>;

function linksOf(main: Story | undefined): Links {
  const { list } = main?.part.relationships ?? { list: [] };
  return new Map(list.flatMap(({ id, part }) => (part === undefined ? [] : [[id, part] as const])));
}

function read(section: XmlNode | undefined, end: number, links: Links): Section {
  const measure = (element: string, attribute: string) => {
    const node = section && childOf(section, element);
    return node && twipsOf(attributeOf(node, attribute));
  };
  const margin = (side: string) => Math.abs(measure('w:pgMar', `w:${side}`) ?? PAGE.margin);
  const gutter = measure('w:pgMar', 'w:gutter') ?? 0;
  const width = (measure('w:pgSz', 'w:w') ?? PAGE.width) - margin('left') - margin('right') - gutter;
  const height = (measure('w:pgSz', 'w:h') ?? PAGE.height) - margin('top') - margin('bottom');
  const textTwips = Math.max(width, ROOM_TWIPS_MIN);
  const columns = section && childOf(section, 'w:cols');
  return {
    end,
    textTwips,
    columnTwips: columns === undefined ? textTwips : columnWidth(columns, textTwips),
    heightTwips: Math.max(height, ROOM_TWIPS_MIN),
    margins: new Set(section === undefined ? [] : marginParts(section, links)),
  };
}

/** Width of the narrowest column, because the column of a place is unknown before layout. */
function columnWidth(columns: XmlNode, textTwips: number): number {
  const widths = columns.children.flatMap((column) => twipsOf(attributeOf(column, 'w:w')) ?? []);
  const count = Number(attributeOf(columns, 'w:num') ?? 1);
  const gap = twipsOf(attributeOf(columns, 'w:space')) ?? COLUMN_GAP_TWIPS;
  const equal = count > 1 ? (textTwips - (count - 1) * gap) / count : textTwips;
  const narrowest = widths.length > 1 ? Math.min(...widths) : equal;
  return narrowest >= ROOM_TWIPS_MIN ? Math.min(narrowest, textTwips) : textTwips;
}

function marginParts(section: XmlNode, links: Links): string[] {
  return section.children
    .filter(({ name }) => name === 'w:headerReference' || name === 'w:footerReference')
    .flatMap((reference) => links.get(attributeOf(reference, 'r:id') ?? '') ?? []);
}
