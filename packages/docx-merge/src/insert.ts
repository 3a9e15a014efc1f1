import { Budget } from '@scriptorium/ooxml/bounds';
import { type Part, writePackage } from '@scriptorium/ooxml/package';
import { type ActiveContent, activeContentIn } from '@scriptorium/sanitizer/active-content';
import { Collections } from './collections.ts';
import { propertiesOf } from './document-properties.ts';
import { cut, PropertyAdditions } from './edits.ts';
import { tinyParagraph } from './headers.ts';
import { Identities } from './identities.ts';
import { importBelongings, importerOf, nameBlocks } from './imported.ts';
import type { Importer } from './importer.ts';
import { Looks } from './look/looks.ts';
import { adoptTheme, lookSourceOf, reserveIds, writeLooks } from './look-parts.ts';
import { MergeError } from './merge-error.ts';
import { withNames } from './root-names.ts';
import { openSource, reachableFrom, type Source, scanOf } from './source.ts';
import { MergeTarget } from './target.ts';

export { MergeError } from './merge-error.ts';

/** A document to insert. */
export interface Insertion {
  /** The paragraph that it replaces, as it is written in the main part: it must be there once. */
  paragraph: string;
  source: Buffer;
}

/** A document with others in it, and what these have lost. */
export interface Inserted {
  bytes: Buffer;
  hasLostLinks: boolean;
  activeContent: ActiveContent[];
}

/** What may be the last content. A cell must end with a paragraph. */
const CONTENT = new Set(['w:p', 'w:tbl', 'w:sdt', 'w:altChunk', 'w:customXml']);

/**
 * Replaces paragraphs of a Word document with the content of others. It takes the styles of the same name, and each
 * document keeps its lists. Page sizes, headers and footers of inserted documents do not come. Throws MergeError with the
 * position of the insertion whose document cannot be read, and DOCUMENT_TOO_COMPLEX if all together exceed a bound.
 */
export async function insertDocuments(document: Buffer, insertions: readonly Insertion[]): Promise<Inserted> {
  const budget = new Budget();
  const first = await openTarget(document, budget);
  const opened = new Map<Buffer, Source>();
  for (const [index, { source }] of insertions.entries())
    if (!opened.has(source)) opened.set(source, await openSource(source, index, budget));
  const host = new Host(first, [...opened.values()], budget);
  for (const { paragraph, source } of insertions) host.replace(paragraph, opened.get(source) as Source);
  const dropped = [...opened.values()].flatMap((source) => source.document.dropped);
  return {
    bytes: writePackage(host.finish(), { isCompressed: true }),
    hasLostLinks: dropped.some(({ what }) => what.endsWith('link')),
    activeContent: activeContentIn(dropped),
  };
}

/** An error of the document itself has no position. */
async function openTarget(document: Buffer, budget: Budget): Promise<Source> {
  try {
    return await openSource(document, 0, budget);
  } catch (error) {
    if (error instanceof MergeError) throw new MergeError(error.code, error.message, { cause: error });
    throw error;
  }
}

/** Parts of which no insertion makes a copy. */
const UNCOPIED = new Set(
  'styles numbering theme settings webSettings fontTable header footer people glossaryDocument'.split(' '),
);

/** Characters or bytes of what is copied with each insertion: notes, comments, charts, data. Media are shared. */
function sizeOfCopies(source: Source): number {
  const found = new Set<Part>();
  for (const { kind, part: key } of source.document.main.relationships.list) {
    const part = key === undefined || UNCOPIED.has(kind) ? undefined : source.document.parts.get(key);
    if (part !== undefined && !found.has(part))
      for (const each of reachableFrom(source, part)) found.add(each);
  }
  found.delete(source.document.main);
  let size = 0;
  for (const { xml, bytes, relationships } of found)
    if (xml !== undefined || relationships.list.length > 0) size += xml?.length ?? bytes.length;
  return size;
}

/** The document into which others are inserted. */
class Host {
  readonly #target: MergeTarget;
  readonly #identities = new Identities();
  readonly #looks: Looks;
  readonly #collections: Collections;
  readonly #properties: ReadonlyMap<string, string>;
  readonly #budget: Budget;
  /** Those that the budget counted when they were read, with what each further insertion adds besides its content. */
  readonly #inserted = new Map<Source, number>();

  constructor(first: Source, others: readonly Source[], budget: Budget) {
    this.#budget = budget;
    this.#properties = propertiesOf(first);
    this.#target = new MergeTarget(first);
    this.#collections = new Collections(this.#target);
    this.#identities.keep(first);
    const source = lookSourceOf(first, (id) => id);
    const theme = source.theme ?? adoptTheme(this.#target, others);
    this.#looks = new Looks({ ...source, theme }, { styles: 'first', numbering: 'keep' });
    reserveIds(this.#looks, first);
  }

  replace(paragraph: string, source: Source): void {
    const { main } = this.#target;
    const start = main.xml?.indexOf(paragraph) ?? -1;
    if (start < 0) throw new Error('the paragraph to replace is not there');
    main.edits.push({ start, end: start + paragraph.length, text: this.#import(source) });
  }

  #import(source: Source): string {
    const importer = importerOf({
      source,
      target: this.#target,
      identities: this.#identities,
      looks: this.#looks,
      restarts: () => false,
      countsSection: false,
      dropsSections: true,
      shown: this.#properties,
    });
    const content = this.#contentOf(source, importer);
    const added = this.#inserted.get(source);
    if (added !== undefined) this.#budget.addXml(content.length + added);
    else this.#inserted.set(source, sizeOfCopies(source));
    importBelongings(importer, { source, target: this.#target }, this.#collections);
    return content;
  }

  #contentOf(source: Source, importer: Importer): string {
    const { main } = source.document;
    const scan = scanOf(source, main);
    const xml = main.xml ?? '';
    const ns = importer.namespaceIn(main);
    const additions = new PropertyAdditions(xml, ns);
    const edits = importer.edits(main, importer.relationships(main, this.#target.main));
    importer.addStyles(main, additions);
    const names = this.#target.addNames(this.#target.main, source, main);
    const { openEnd, closeStart } = scan.body ?? { openEnd: 0, closeStart: 0 };
    const all = [...edits, ...additions.edits(), ...nameBlocks(source, names)];
    const text = cut(xml, all, openEnd, closeStart);
    const last = scan.blocks.findLast(({ name }) => CONTENT.has(name));
    return last?.name === 'w:p' ? text : text + withNames(tinyParagraph(ns), names);
  }

  finish() {
    writeLooks(this.#target, this.#looks);
    this.#target.finish(scanOf(this.#target.first, this.#target.main).body?.closeStart ?? 0);
    return this.#target.document;
  }
}
