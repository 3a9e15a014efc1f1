import type { Budget } from '@scriptorium/ooxml/bounds';
import {
  type Inspector,
  type OoxmlPackage,
  openPackage,
  type Part,
  writePackage,
} from '@scriptorium/ooxml/package';
import { escapeXml, prefixAt, TreeBuilder, type XmlNode } from '@scriptorium/ooxml/xml';
import { readValues } from './document-values.ts';
import { FieldEvaluator } from './field-evaluator.ts';
import { type FoundField, type PartFields, readFields } from './field-reader.ts';
import { sectionsOfStories } from './sections.ts';

const STORIES = new Set(['w:document', 'w:hdr', 'w:ftr', 'w:footnotes', 'w:endnotes']);
const READ_KINDS =
  /(?:document\.main|header|footer|footnotes|endnotes|settings|styles|core-properties|extended-properties|custom-properties)\+xml$|macroenabled/i;

/**
 * Replaces the fields of a document that can be computed from it by their values, as text. These are properties, variables, dates
 * of the document, conditions, formulas and numbers of notes and sections. Others stay. `now` is for fields inside others.
 */
export async function computeFields(bytes: Buffer, now: Date, budget: Budget): Promise<Buffer> {
  const trees = new Map<Part, TreeBuilder>();
  const survey: Inspector = {
    visit(part) {
      if (!READ_KINDS.test(part.contentType)) return undefined;
      const builder = new TreeBuilder();
      trees.set(part, builder);
      return builder.visitor;
    },
  };
  const document = await openPackage(bytes, [survey], budget);
  const roots = new Map([...trees].map(([part, builder]) => [part.key, builder.root]));
  const isChanged = new DocumentFields(document, roots, now, bytes.length).compute();
  return isChanged ? writePackage(document, { isCompressed: false }) : bytes;
}

class DocumentFields {
  readonly #stories: readonly { part: Part; root: XmlNode; found: PartFields }[];
  readonly #evaluator: FieldEvaluator;
  readonly #sectionOf: (part: Part, field: FoundField) => number | undefined;
  readonly #isOneSection: boolean;

  constructor(document: OoxmlPackage, roots: ReadonlyMap<string, XmlNode>, now: Date, fileBytes: number) {
    this.#stories = [...document.parts.values()].flatMap((part) => {
      const root = roots.get(part.key);
      if (root === undefined || !STORIES.has(root.name)) return [];
      return [{ part, root, found: readFields(root, part.xml ?? '') }];
    });
    const main = this.#stories.find(({ part }) => part === document.main)?.found;
    const sections = main?.sections ?? [];
    const sectionOfStory = sectionsOfStories(document.main, sections);
    this.#isOneSection = sections.length <= 1;
    this.#sectionOf = (part, field) =>
      part === document.main ? field.section + 1 : sectionOfStory(part.key);
    this.#evaluator = new FieldEvaluator({
      ...{ main, sections, now, fileBytes },
      values: readValues(document, roots),
    });
  }

  /** Returns whether a field has changed. */
  compute(): boolean {
    let isChanged = false;
    // Variables that a field sets apply from there on; headers come after the text.
    for (const { part, found } of this.#stories)
      for (const field of found.fields) if (this.#update(part, field)) isChanged = true;
    return isChanged;
  }

  #update(part: Part, field: FoundField): boolean {
    if (field.name === 'SECTIONPAGES' && this.#isOneSection) return this.#countAll(part, field);
    if (field.isFixed) return false;
    const text = this.#evaluator.valueOf(part, field, this.#sectionOf(part, field));
    if (text === undefined) return false;
    replaceField(part, field, text);
    return true;
  }

  /** In a document of one section, the pages of the section are all pages, which the engine counts. */
  #countAll(part: Part, { marks, isSimple }: FoundField): boolean {
    if (isSimple) return false;
    for (const { name, openEnd, closeStart } of marks) {
      const source = part.xml?.slice(openEnd, closeStart) ?? '';
      const at = name === 'w:instrText' ? source.toUpperCase().indexOf('SECTIONPAGES') : -1;
      if (at === -1) continue;
      const start = openEnd + at;
      part.edits.push({ start, end: start + 'SECTIONPAGES'.length, text: 'NUMPAGES' });
      return true;
    }
    return false;
  }
}

function markup(prefix: string, text: string): string {
  return text
    .split(/([\n\t])/)
    .map((piece) => {
      if (piece === '\n') return `<${prefix}br/>`;
      if (piece === '\t') return `<${prefix}tab/>`;
      return piece === '' ? '' : `<${prefix}t xml:space="preserve">${escapeXml(piece)}</${prefix}t>`;
    })
    .join('');
}

/** The text takes the place of the first text of the result, and its look. */
function replaceField(part: Part, { marks, shown, last, isSimple }: FoundField, text: string): void {
  const first = shown.find(({ name }) => name === 'w:t');
  const prefix = prefixAt(part.xml ?? '', last);
  const content = markup(prefix, text);
  for (const { start, end } of shown) if (start !== first?.start) part.edits.push({ start, end, text: '' });
  if (first !== undefined) part.edits.push({ start: first.start, end: first.end, text: content });
  if (isSimple) {
    const { start, openEnd, closeStart, end } = last;
    const run = first === undefined ? `<${prefix}r>${content}</${prefix}r>` : '';
    part.edits.push({ start, end: openEnd, text: run });
    if (closeStart < end) part.edits.push({ start: closeStart, end, text: '' });
    return;
  }
  for (const { start, end } of marks)
    part.edits.push({ start, end, text: first === undefined && start === last.start ? content : '' });
}
