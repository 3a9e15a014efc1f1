import type { OoxmlPackage } from '@scriptorium/ooxml/package';
import { applyEdits, type Edit } from '@scriptorium/ooxml/xml';
import { Collections } from './collections.ts';
import { propertiesOf } from './document-properties.ts';
import { cut, PropertyAdditions } from './edits.ts';
import { type FieldFacts, fieldEdits, fieldWarnings } from './fields.ts';
import { Headers, tinyParagraph } from './headers.ts';
import { Identities } from './identities.ts';
import { importBelongings, importerOf, nameBlocks } from './imported.ts';
import type { Importer } from './importer.ts';
import { Looks } from './look/looks.ts';
import { addSettings, adoptTheme, lookSourceOf, reserveIds, writeLooks } from './look-parts.ts';
import type { MergeOptions, MergePart } from './merge-options.ts';
import { numberNotes } from './notes.ts';
import type { PartScan, Section } from './part-facts.ts';
import { withNames } from './root-names.ts';
import { pageNumbers, SectionEdits, sectionType } from './sections.ts';
import {
  adaptSettings,
  type DocumentSettings,
  type MergeWarning,
  readSettings,
  settingsWarnings,
} from './settings.ts';
import { namespaceIn, type Source, scanOf } from './source.ts';
import { MergeTarget } from './target.ts';

const SECTION_TYPES = {
  page: 'nextPage',
  odd: 'oddPage',
  even: 'evenPage',
  continuous: 'continuous',
} as const;
/** Elements that mark a place between blocks. */
const MARKS = /^w:(proofErr|\w+(?:Start|End))$/;

/** What one document adds. */
interface Content {
  source: Source;
  scan: PartScan;
  xml: string;
  /** Undefined for the first document. */
  importer: Importer | undefined;
  part: Pick<MergePart, 'break' | 'headers'>;
  isLast: boolean;
  ns: string;
  idOf(id: string): string;
}

const THEME_DIFFERS = {
  code: 'THEME_DIFFERS',
  message: 'Charts and diagrams take fonts and effects from the theme of the first document.',
};

/** The document that a merge makes. */
export class MergedDocument {
  readonly warnings: MergeWarning[] = [];
  readonly #options: MergeOptions;
  readonly #target: MergeTarget;
  readonly #identities = new Identities();
  readonly #headers: Headers;
  readonly #looks: Looks;
  readonly #collections: Collections;
  readonly #settings = new Map<Source, DocumentSettings>();
  readonly #isAnyEven: boolean;
  readonly #last: Source;
  /** Those of the first document, which the merged one keeps. */
  readonly #properties: ReadonlyMap<string, string>;
  /** Labels of captions in the documents so far. */
  readonly #labels = new Set<string>();
  #mainEnd = 0;

  constructor(first: Source, others: readonly Source[], options: MergeOptions) {
    this.#options = options;
    for (const source of [first, ...others]) this.#settings.set(source, readSettings(source));
    this.#isAnyEven = [...this.#settings.values()].some(({ isEven }) => isEven);
    this.#properties = propertiesOf(first);
    this.#last = others.at(-1) ?? first;
    adaptSettings(first, this.#settingsOf(first), this.#isAnyEven);
    this.#target = new MergeTarget(first);
    this.#headers = new Headers(this.#target);
    this.#collections = new Collections(this.#target);
    this.#identities.keep(first);
    const source = lookSourceOf(first, (id) => id);
    this.#looks = new Looks({ ...source, theme: source.theme ?? adoptTheme(this.#target, others) }, options);
    reserveIds(this.#looks, first);
    this.#warn(first);
    this.#begin(first);
  }

  #settingsOf(source: Source): DocumentSettings {
    const settings = this.#settings.get(source);
    if (settings === undefined) throw new Error('the settings of a document were not read');
    return settings;
  }

  #warn(source: Source): void {
    const first = this.#settingsOf(this.#target.first);
    this.warnings.push(...settingsWarnings(source, this.#settingsOf(source), first));
  }

  /** Ends the first document with a section of its own. */
  #begin(first: Source): void {
    const { main } = this.#target;
    const scan = scanOf(first, main);
    const facts: FieldFacts = { isFrozen: false, hasPageCount: false, lostName: false };
    const changes = {
      names: undefined,
      restarts: (label: string) => !this.#labels.add(label),
      countsSection: this.#countsSection(scan, {}),
      properties: undefined,
    };
    const xml = main.xml ?? '';
    const edits = fieldEdits(xml, scan.fields, changes, facts);
    for (const part of first.document.parts.values())
      if (part !== main && part.xml !== undefined)
        part.edits = [...part.edits, ...fieldEdits(part.xml, scanOf(first, part).fields, changes, facts)];
    this.warnings.push(...fieldWarnings(first.index, facts, changes.countsSection));
    const ns = namespaceIn(first, main);
    const content = {
      source: first,
      scan,
      xml,
      importer: undefined,
      part: {},
      isLast: false,
      ns,
      idOf: (id: string) => id,
    };
    const additions = new PropertyAdditions(xml, ns);
    const section = this.#sections(content, edits);
    this.#mainEnd = bodyOf(scan).closeStart;
    const last = scan.sections.find(({ isLast }) => isLast);
    if (last !== undefined) edits.push({ start: last.start, end: last.end, text: '' });
    for (const { kind, start, end } of scan.removable)
      if (kind === 'section') edits.push({ start, end, text: '' });
    const tail = placeSection(content, additions, section);
    main.edits = [...main.edits, ...edits, ...additions.edits()];
    if (tail !== '') this.#target.append(main, tail);
  }

  #countsSection({ sections }: PartScan, part: Pick<MergePart, 'headers'>): boolean {
    const { headers, pageNumbers } = this.#options;
    return (part.headers ?? headers) === 'keep' && pageNumbers !== 'continue' && sections.length <= 1;
  }

  /** Appends a document. */
  append(source: Source, part: Pick<MergePart, 'break' | 'headers'>): void {
    const { main } = source.document;
    const scan = scanOf(source, main);
    const seen = new Set(this.#labels);
    const countsSection = this.#countsSection(scan, part);
    const importer = importerOf({
      source,
      target: this.#target,
      identities: this.#identities,
      looks: this.#looks,
      restarts: (label) =>
        this.#options.numbering === 'keep' && seen.delete(label) && this.#labels.has(label),
      countsSection,
      shown: this.#properties,
    });
    this.#warn(source);
    const idOf = importer.relationships(main, this.#target.main);
    const content: Content = {
      source,
      scan,
      xml: main.xml ?? '',
      importer,
      part,
      isLast: source === this.#last,
      ns: importer.namespaceIn(main),
      idOf,
    };
    this.#target.append(this.#target.main, this.#bodyOf(content, importer));
    importBelongings(importer, { source, target: this.#target }, this.#collections);
    for (const { fields } of source.scans.values())
      for (const { instruction } of fields) {
        const [, label] = /^\s*SEQ\s+("[^"]*"|\S+)/i.exec(instruction) ?? [];
        if (label !== undefined) this.#labels.add(label.replaceAll('"', '').toLowerCase());
      }
    this.warnings.push(...fieldWarnings(source.index, importer.facts, countsSection));
    if (importer.losesTheme) this.warnings.push({ document: source.index, ...THEME_DIFFERS });
  }

  #bodyOf(content: Content, importer: Importer): string {
    const { source, scan, xml, isLast } = content;
    const { main } = source.document;
    const body = bodyOf(scan);
    const additions = new PropertyAdditions(xml, content.ns);
    const edits = importer.edits(main, content.idOf);
    importer.addStyles(main, additions);
    const names = this.#target.addNames(this.#target.main, source, main);
    for (const edit of nameBlocks(source, names)) edits.push(edit);
    const section = this.#sections(content, edits);
    const last = scan.sections.find((candidate) => candidate.isLast);
    if (last !== undefined) edits.push({ start: last.start, end: last.end, text: '' });
    const isEmpty = scan.blocks.every(({ name }) => name === 'w:sectPr');
    if (isLast) {
      const inner = cut(xml, [...edits, ...additions.edits()], body.openEnd, body.closeStart);
      return `${inner}${isEmpty ? withNames(tinyParagraph(content.ns), names) : ''}${withNames(section, names)}`;
    }
    const tail = placeSection(content, additions, section);
    return `${cut(xml, [...edits, ...additions.edits()], body.openEnd, body.closeStart)}${withNames(tail, names)}`;
  }

  /** Changes all sections of a document. Returns the text of the last one, which is not among the edits of the body. */
  #sections(content: Content, edits: Edit[]): string {
    const { scan, xml, source, importer, ns } = content;
    const settings = this.#settingsOf(source).notes;
    const ofAll = this.#settingsOf(this.#target.first).notes;
    let before: Section | undefined;
    const adapt = (section: Section, text: string, isFirst: boolean): SectionEdits => {
      const changes = new SectionEdits(text, section);
      this.#headers.adapt(section, changes, this.#headerOptions(content), {
        isFirst,
        isImported: importer !== undefined,
        ns,
        idOf: content.idOf,
      });
      if (importer !== undefined) {
        if (
          this.#options.numbering === 'keep' &&
          numberNotes(changes, settings, { before, section, ns, ofAll })
        )
          importer.facts.isNumbered = true;
        if (isFirst) this.#start(changes, content);
      }
      return changes;
    };
    let last = '';
    for (const [at, section] of scan.sections.entries()) {
      edits.push(...adapt(section, xml, at === 0).edits());
      before = section;
      if (section.isLast) last = cut(xml, edits, section.start, section.end);
    }
    if (last !== '') return last;
    const text = `<w:sectPr${ns}/>`;
    const span = { start: 0, openEnd: text.length, closeStart: text.length, end: text.length };
    const notes = before ?? { footnotes: 0, endnotes: 0 };
    const missing = {
      ...span,
      children: [],
      isLast: true,
      footnotes: notes.footnotes,
      endnotes: notes.endnotes,
    };
    return applyEdits(text, adapt(missing, text, scan.sections.length === 0).edits());
  }

  #headerOptions({ source, part }: Content) {
    const { isEven } = this.#settingsOf(source);
    return { headers: part.headers ?? this.#options.headers, isEven, isAnyEven: this.#isAnyEven };
  }

  /** How the first section of a document begins. */
  #start(changes: SectionEdits, { part, ns }: Content): void {
    changes.put('w:type', sectionType(SECTION_TYPES[part.break ?? this.#options.break], ns));
    const child = changes.child('w:pgNumType');
    const text = child && changes.textOf(child);
    const has = text !== undefined && /[\s:]start\s*=/.test(text);
    const { pageNumbers: mode } = this.#options;
    if (mode === 'restart' || (mode === 'keep' && !has)) changes.put('w:pgNumType', pageNumbers(text, ns, 1));
    else if (mode === 'continue' && has) changes.put('w:pgNumType', pageNumbers(text, ns, undefined));
  }

  /** Writes all changes into the package of the first document. */
  finish(): OoxmlPackage {
    writeLooks(this.#target, this.#looks);
    if (this.#isAnyEven) addSettings(this.#target);
    this.#target.finish(this.#mainEnd);
    return this.#target.document;
  }
}

function bodyOf({ body }: PartScan): NonNullable<PartScan['body']> {
  if (body === undefined) throw new Error('a document has no body');
  return body;
}

/** Puts section properties into the last paragraph. Returns a paragraph for them if there is none. */
function placeSection({ scan, ns }: Content, additions: PropertyAdditions, section: string): string {
  const last = scan.blocks.findLast(({ name }) => name !== 'w:sectPr' && !MARKS.test(name));
  // The end of the section must stay where a reader rejects or accepts changes.
  if (last?.name !== 'w:p' || last.hasSection || last.isTracked) return tinyParagraph(ns, section);
  additions.addSection(last.properties ?? last, last.properties !== undefined, section, last.change);
  return '';
}
