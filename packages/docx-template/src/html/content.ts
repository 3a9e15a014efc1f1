import type { XmlNode } from '@scriptorium/ooxml/xml';
import type { FieldPicture } from '../drawing/image-cache.ts';
import type { HtmlLoss, PackageEditor } from '../package-editor.ts';
import { roomAt } from '../template/container.ts';
import { EMU_PER_TWIP } from '../template/measures.ts';
import type { Story } from '../template/story.ts';
import { type Block, inlinesOf, isOneLine, linesOfBlocks } from './blocks.ts';
import { Properties } from './properties.ts';
import { readHtml } from './read-html.ts';
import { type BlockPlace, writeBlocks } from './write-blocks.ts';
import { type RunPlace, writeLines } from './write-runs.ts';

/** Paragraph properties that cells of new tables have too. */
const IN_CELLS = ['pStyle', 'bidi', 'spacing'];

/** Where HTML is written. */
export interface HtmlPlace {
  story: Story;
  editor: PackageEditor;
  /** An element at the place, for the available room. */
  node: XmlNode;
  /** Run properties, as an element or empty. */
  style: string;
  /** Links cannot stand there. */
  isInLink: boolean;
  /** The pictures by their data URIs. */
  pictures: ReadonlyMap<string, FieldPicture>;
  /** The path of the value, for errors. */
  path: string;
}

/** A text of HTML, as far as Word can show it. Reading and writing it throw HtmlRefusal. */
export class HtmlContent {
  /** What it loses, for the report. */
  readonly lost: ReadonlySet<HtmlLoss>;
  readonly #blocks: Block[];

  /** Without pictures, their alternative texts take their place. */
  constructor(html: string, { hasPictures }: { hasPictures: boolean }) {
    const { blocks, lost } = readHtml(html);
    this.lost = lost;
    this.#blocks = hasPictures ? blocks : withoutPictures(blocks);
  }

  /** The data URIs of its pictures. */
  get pictures(): string[] {
    return inlinesOf(this.#blocks).flatMap((inline) => (inline.type === 'picture' ? [inline.uri] : []));
  }

  /** Number of its texts, pictures and blocks. */
  get pieces(): number {
    return inlinesOf(this.#blocks).length + this.#blocks.length;
  }

  /** Whether it is one paragraph without looks of its own. */
  get isOneLine(): boolean {
    return isOneLine(this.#blocks);
  }

  get text(): string {
    return linesOfBlocks(this.#blocks)
      .map((line) => line.map((inline) => (inline.type === 'text' ? inline.text : '')).join(''))
      .join('\n');
  }

  /** Its runs and hyperlinks in one paragraph, with line breaks. */
  runs(place: HtmlPlace): string {
    return writeLines(this.#blocks, runPlace(place));
  }

  /** Its paragraphs and tables. They end with a paragraph. `cells` are paragraph properties for cells, as an element or empty. */
  blocks(place: HtmlPlace, paragraph: BlockPlace['paragraph'], cells = ''): string {
    const cellProperties = new Properties('pPr', cells, place.story.dialect).with({}, IN_CELLS);
    return writeBlocks(this.#blocks, { ...runPlace(place), cellProperties, paragraph });
  }
}

function runPlace({ node, ...place }: HtmlPlace): RunPlace & { style: string } {
  const { widthEmu, heightEmu } = roomAt(node, place.story, place.editor.template);
  return { ...place, widthTwips: Math.floor(widthEmu / EMU_PER_TWIP), heightEmu };
}

function withoutPictures(blocks: Block[]): Block[] {
  for (const block of blocks) {
    if (block.type === 'table') for (const cell of block.rows.flat()) withoutPictures(cell.blocks);
    else
      block.inlines = block.inlines.map((inline) =>
        inline.type === 'text' ? inline : { type: 'text', text: inline.alt, format: inline.format },
      );
  }
  return blocks;
}
