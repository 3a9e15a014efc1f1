import { attributeOf, childOf, type XmlNode } from '@scriptorium/ooxml/xml';
import { twipsOf } from './measures.ts';
import type { Story } from './story.ts';

/** The room of a section (ECMA-376-1 §17.6), in twips. */
export interface Section {
  /** Where it ends in the text of the main part. */
  end: number;
  /** Between the margins of the page. */
  textTwips: number;
  /** The narrowest of its columns. */
  columnTwips: number;
  heightTwips: number;
  /** Keys of the headers and footers that it names. */
  margins: ReadonlySet<string>;
}

/** What Word takes where a document says nothing: Letter with an inch around. */
const PAGE = { width: 12_240, height: 15_840, margin: 1_440 };
const COLUMN_GAP_TWIPS = 720;
/** Least room that is believed: a section of nothing but margins says nothing. */
const ROOM_TWIPS_MIN = 360;
/** They hold no paragraph that could end a section. */
const WITHOUT_SECTIONS = new Set(['w:tbl', 'w:r', 'w:sdtPr', 'w:pPrChange', 'w:sectPrChange']);

/** The sections of a document in order, one at least. */
export function sectionsOf(stories: readonly Story[]): Section[] {
  const main = stories.find(({ place }) => place === 'body');
  const found = main === undefined ? [] : [...properties(main.root)];
  const links = linksOf(main);
  const sections = found.map(({ node, end }) => read(node, end, links));
  return sections.length > 0 ? sections : [read(undefined, Infinity, links)];
}

/** The one that rules a place: of the main part by where it is, else the first that names the header or footer. */
export function sectionOf(sections: readonly Section[], place: XmlNode, story: Story): Section {
  const isMain = story.place === 'body';
  const found = sections.find(({ end, margins }) =>
    isMain ? place.start < end : margins.has(story.part.key),
  );
  const section = found ?? (isMain ? sections.at(-1) : sections[0]);
  if (section === undefined) throw new Error('a document has a section');
  return section;
}

function* properties(node: XmlNode): Generator<{ node: XmlNode; end: number }> {
  for (const child of node.children) {
    if (WITHOUT_SECTIONS.has(child.name)) continue;
    if (child.name !== 'w:sectPr') yield* properties(child);
    // In a paragraph, its section ends where that does.
    else yield { node: child, end: node.name === 'w:pPr' ? (node.parent?.end ?? node.end) : Infinity };
  }
}

/** Keys of the parts that the main one refers to, by the ids of the relationships. */
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

/** Which column a place comes to lie in is not known before the pages are made, so none wider than the narrowest. */
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
