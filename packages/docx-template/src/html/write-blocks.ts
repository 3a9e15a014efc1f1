import { levelIndent } from '../numbering/levels.ts';
import type { Block, List, ParagraphBlock, TableBlock } from './blocks.ts';
import { documentStyles } from './document-styles.ts';
import { Properties } from './properties.ts';
import { type RunPlace, RunStyle, writeRuns } from './write-runs.ts';
import { writeTable } from './write-table.ts';

/** Sizes of headings without a style, in half points, by level. */
const HEADING_SIZES = [32, 28, 24, 22, 20, 20];
const HEADING_SPACING = { before: '240', after: '60' };
const QUOTE_TWIPS = 720;
/** Properties of the mark's paragraph that only its first part has. */
const ONCE = ['numPr', 'pageBreakBefore', 'framePr'];

export interface BlockPlace extends RunPlace {
  /** The run properties of the mark, as an element or empty. */
  style: string;
  /** The paragraph properties in cells of new tables, as an element or empty. */
  cellProperties: string;
  /** `w:p` with these runs. `change` makes its properties from those of the mark's paragraph. */
  paragraph(runs: string, change: (properties: string) => string): string;
}

/** Paragraphs and tables. They end with a paragraph, and no two tables touch. */
export function writeBlocks(blocks: readonly Block[], place: BlockPlace): string {
  return new BlockWriter(place).write(blocks);
}

/** Writes the blocks of one value. */
class BlockWriter {
  readonly #place: BlockPlace;
  readonly #lists = new Map<List, string>();
  readonly #style: RunStyle;
  readonly #headings = new Map<number, RunStyle>();
  readonly #properties = new Map<string, Properties>();
  #isFirst = true;

  constructor(place: BlockPlace) {
    this.#place = place;
    this.#style = new RunStyle(place.style, place);
  }

  write(blocks: readonly Block[]): string {
    let [written, isBehindTable] = ['', false];
    for (const block of blocks) {
      const isTable = block.type === 'table';
      if (isTable && isBehindTable) written += this.#empty();
      written += isTable ? this.#table(block) : this.#paragraph(block);
      isBehindTable = isTable;
    }
    return isBehindTable || blocks.length === 0 ? written + this.#empty() : written;
  }

  #table(block: TableBlock): string {
    const { story, editor, widthTwips, cellProperties } = this.#place;
    const { dialect } = story;
    this.#isFirst = false;
    return writeTable(block, {
      dialect,
      tableStyle: editor.template.tableStyle,
      widthTwips,
      content: (blocks, widthTwips) =>
        writeBlocks(blocks, {
          ...this.#place,
          widthTwips,
          paragraph: (runs, change) => dialect.element('p', {}, change(cellProperties) + runs),
        }),
    });
  }

  #empty(): string {
    return this.#place.paragraph('', (properties) => this.#parsed(properties).with(removed(ONCE)));
  }

  #paragraph(block: ParagraphBlock): string {
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    const runs = writeRuns(block.inlines, this.#styleOf(block), this.#place);
    return this.#place.paragraph(runs, (properties) => this.#looks(block, isFirst, properties));
  }

  #styleOf({ heading }: ParagraphBlock): RunStyle {
    if (heading === 0) return this.#style;
    const known = this.#headings.get(heading) ?? this.#headingStyle(heading);
    this.#headings.set(heading, known);
    return known;
  }

  /** A heading has the looks of its style, not of the mark. */
  #headingStyle(heading: number): RunStyle {
    const place = this.#place;
    const { element } = place.story.dialect;
    if (documentStyles(place.editor.template).headings.has(heading)) return new RunStyle('', place);
    const size = { val: String(HEADING_SIZES[heading - 1]) };
    const looks = { b: element('b'), sz: element('sz', size), szCs: element('szCs', size) };
    return new RunStyle(place.style, place, looks);
  }

  #looks(block: ParagraphBlock, isFirst: boolean, properties: string): string {
    const { story, editor } = this.#place;
    const { element } = story.dialect;
    const { heading, align, isRule } = block;
    const line = { val: 'single', sz: '6', space: '1', color: 'auto' };
    const style = heading === 0 ? undefined : documentStyles(editor.template).headings.get(heading);
    const kept = style === undefined ? undefined : ['bidi'];
    const changes = {
      ...(!isFirst && removed(ONCE)),
      ...(style !== undefined && { pStyle: element('pStyle', { val: style }) }),
      ...(heading > 0 && style === undefined && this.#headingLooks(heading)),
      ...this.#indentation(block),
      ...(align !== undefined && { jc: element('jc', { val: align }) }),
      ...(isRule && { pBdr: element('pBdr', {}, element('bottom', line)) }),
    };
    return this.#parsed(properties).with(changes, kept);
  }

  #headingLooks(heading: number): Record<string, string> {
    const { element } = this.#place.story.dialect;
    return {
      numPr: '',
      keepNext: element('keepNext'),
      spacing: element('spacing', HEADING_SPACING),
      outlineLvl: element('outlineLvl', { val: String(heading - 1) }),
    };
  }

  #indentation({ list, hasMarker, quotes }: ParagraphBlock): Record<string, string> {
    const { element } = this.#place.story.dialect;
    const quoted = quotes * QUOTE_TWIPS;
    if (list === undefined)
      return quotes === 0
        ? {}
        : { numPr: '', ind: element('ind', { left: String(quoted), right: String(quoted) }) };
    const left = String(levelIndent(list.level) + quoted);
    if (!hasMarker) return { numPr: '', ind: element('ind', { left, firstLine: '0' }) };
    const numbering = { ilvl: String(list.level), numId: this.#numId(list) };
    const numPr = element('ilvl', { val: numbering.ilvl }) + element('numId', { val: numbering.numId });
    const ind = quotes === 0 ? '' : element('ind', { left, hanging: '360' });
    return { numPr: element('numPr', {}, numPr), ind };
  }

  #numId(list: List): string {
    const { numbering } = this.#place.editor;
    const known =
      this.#lists.get(list) ??
      (list.isOrdered
        ? numbering.decimalList(list.level, list.start, list.marker)
        : numbering.bulletList(list.level, list.marker));
    this.#lists.set(list, known);
    return known;
  }

  #parsed(properties: string): Properties {
    const known =
      this.#properties.get(properties) ?? new Properties('pPr', properties, this.#place.story.dialect);
    this.#properties.set(properties, known);
    return known;
  }
}

function removed(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, '']));
}
