import type { IsSafeLink } from '../actions/judge-action.ts';
import { openPdf } from '../read/open.ts';
import { Dict } from '../read/values.ts';
import { NewFile } from '../write/new-file.ts';
import { JoinedFiles } from './attached-files.ts';
import { JoinedDestinations } from './destinations.ts';
import { JoinedForm } from './form.ts';
import { JoinError, ofDocument } from './join-error.ts';
import { JoinedLayers } from './layers.ts';
import type { SharedObjects } from './object-copier.ts';
import { JoinedOutline } from './outline.ts';
import { JoinedPageLabels } from './page-labels.ts';
import { PageTree } from './page-tree.ts';
import { JoinedProperties, type JoinTitles, type JoinWarning } from './properties.ts';
import { JoinedSource } from './source.ts';
import { JoinedStructure } from './structure.ts';
import { UnsafeActions } from './unsafe-actions.ts';

export interface JoinOptions extends JoinTitles {
  /** Limit for the bytes of the result. */
  bytesMax: number;
}

export interface JoinInput {
  bytes: Buffer;
  /** The bookmark of the document; without one, its own bookmarks are at the top. */
  title?: string | undefined;
}

export interface JoinedPdf {
  /** The bytes of the file, in order. */
  chunks: readonly Buffer[];
  /** The number of bytes. */
  length: number;
  pages: number;
  warnings: readonly JoinWarning[];
}

/** Joins PDFs, given one after another, into one file. Its memory is about the size of the result. */
export class Joining {
  readonly #file: NewFile;
  readonly #shared: SharedObjects = new Map();
  readonly #pages: PageTree;
  readonly #outline: JoinedOutline;
  readonly #structure: JoinedStructure;
  readonly #properties: JoinedProperties;
  readonly #destinations = new JoinedDestinations();
  readonly #labels = new JoinedPageLabels();
  readonly #form = new JoinedForm();
  readonly #layers = new JoinedLayers();
  readonly #files = new JoinedFiles();
  readonly #threads: string[] = [];
  #count = 0;
  #isUsable = true;

  readonly #isSafeLink: IsSafeLink;

  /** `isSafeLink` decides which addresses of links stay. */
  constructor({ bytesMax, ...titles }: JoinOptions, isSafeLink: IsSafeLink) {
    this.#isSafeLink = isSafeLink;
    this.#file = new NewFile((length) => {
      if (length <= bytesMax) return;
      throw new JoinError('RESULT_TOO_LARGE', `The joined PDF would have more than ${bytesMax} bytes.`);
    });
    this.#pages = new PageTree(this.#file);
    this.#outline = new JoinedOutline(this.#file);
    this.#structure = new JoinedStructure(this.#file);
    this.#properties = new JoinedProperties(titles);
  }

  /** Adds the pages of a document. Throws JoinError; then the joining has failed. */
  add({ bytes, title }: JoinInput): void {
    const index = this.#begin();
    ofDocument(index, () => {
      const { document } = openPdf(bytes);
      if (document.security)
        throw new JoinError('DOCUMENT_ENCRYPTED', 'The PDF is encrypted.', { document: index });
      const { root, count } = this.#pages;
      const places = { file: this.#file, shared: this.#shared, pageRoot: root, pagesBefore: count };
      this.#add(new JoinedSource(document, places), index, title);
    });
    this.#count++;
    this.#isUsable = true;
  }

  /** Writes the rest. The same documents give the same bytes. Throws JoinError, also without a document. */
  finish(): JoinedPdf {
    if (this.#begin() === 0) throw new JoinError('INVALID_FILE_FORMAT', 'A document to join is missing.');
    const file = this.#file;
    this.#pages.finish();
    const parts = `/Pages ${this.#pages.root} 0 R${this.#contentKeys()}`;
    const { catalog, trailer, version } = this.#properties.finish(file);
    const root = file.add(`<</Type/Catalog${parts}${catalog}>>`);
    const { chunks, length } = file.finish(`/Root ${root} 0 R${trailer}`, version);
    return { chunks, length, pages: this.#pages.count, warnings: this.#properties.warnings };
  }

  /** Whatever throws leaves the file incomplete. Returns the number of documents so far. */
  #begin(): number {
    if (!this.#isUsable) throw new Error('the joining has failed or finished before');
    this.#isUsable = false;
    return this.#count;
  }

  /** First, all objects that keep their identity get places; then they are written with what they refer to. */
  #add(source: JoinedSource, index: number, title: string | undefined): void {
    this.#properties.add(source, index, this.#file);
    const actions = new UnsafeActions(source, this.#isSafeLink);
    const destinations = this.#destinations.open(source);
    const structure = this.#structure.open(source);
    this.#layers.open(source);
    const form = this.#form.open(source, index);
    const annotations = source.pages.map(({ dict }) => {
      const items = source
        .list(dict, 'Annots')
        .filter((item) => source.document.resolve(item) instanceof Dict);
      source.copier.budget.spend(items.length);
      for (const item of items) {
        const target = source.target(item);
        if (target) this.#form.openAnnotation(source, form, target.num, target.dict, index);
      }
      return items;
    });
    if (structure) this.#structure.prepare(source, structure);
    if (form && this.#form.add(source, form)) this.#properties.warnRenamed(index);
    for (const [at, { ref, attributes }] of source.pages.entries()) {
      const items = annotations[at] ?? [];
      const place = source.own(ref.num);
      source.own(ref.num, {
        ...Object.fromEntries(Object.entries(attributes).map(([key, value]) => [key, { value }])),
        Type: '/Page',
        Parent: `${this.#pages.add(place)} 0 R`,
        Annots: items.length > 0 ? { value: items } : null,
      });
    }
    source.writeOwned();
    this.#outline.add(source, destinations, title);
    this.#destinations.add(source, destinations);
    this.#labels.add(source);
    if (structure) this.#structure.add(source, structure);
    this.#layers.add(source);
    this.#files.add(source);
    this.#properties.addIntents(source);
    for (const item of source.list(source.catalog, 'Threads')) {
      const thread = source.copier.reference(item);
      if (thread !== undefined) this.#threads.push(thread);
    }
    this.#properties.warn(index, actions.warnings());
  }

  /** Keys of the catalog for what the documents contain. */
  #contentKeys(): string {
    const file = this.#file;
    const keys: string[] = [this.#structure.finish()];
    const add = (key: string, value: string | undefined) => {
      if (value !== undefined) keys.push(`/${key} ${value}`);
    };
    const outline = this.#outline.finish();
    add('Outlines', outline === undefined ? undefined : `${outline} 0 R`);
    const { names, associated } = this.#files.finish(file);
    const destinations = this.#destinations.finish(file);
    const trees = [
      destinations === undefined ? '' : `/Dests ${destinations}`,
      names === undefined ? '' : `/EmbeddedFiles ${names}`,
    ].join('');
    add('Names', trees === '' ? undefined : `<<${trees}>>`);
    add('AF', associated);
    add('PageLabels', this.#labels.finish(file));
    add('AcroForm', this.#form.finish(file));
    add('OCProperties', this.#layers.finish());
    add('Threads', this.#threads.length > 0 ? `[${this.#threads.join(' ')}]` : undefined);
    return keys.join('');
  }
}
