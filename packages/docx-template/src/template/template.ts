import { Budget } from '@scriptorium/ooxml/bounds';
import {
  type Inspector,
  type OoxmlPackage,
  openPackage,
  type Part,
  relationshipsName,
  writePackage,
} from '@scriptorium/ooxml/package';
import { canonicalName, TreeBuilder, type XmlVisitor } from '@scriptorium/ooxml/xml';
import { type ActiveContent, activeContent, activeContentIn } from '@scriptorium/sanitizer/active-content';
import { macros } from '@scriptorium/sanitizer/docx';
import { Placeholders } from '../placeholders/placeholders.ts';
import { type Control, controlsOf } from './controls.ts';
import { dialectOf } from './dialect.ts';
import { FieldIndex } from './field-index.ts';
import { type Section, sectionsOf } from './sections.ts';
import { type Place, placeOf, type Story } from './story.ts';
import { type TableStyle, TableStyles } from './table-styles.ts';
import { type WordField, wordFieldsOf } from './word-fields.ts';

const CUSTOM_XML = 'http://schemas.openxmlformats.org/officeDocument/2006/customXml';
const STRICT_CUSTOM_XML = 'http://purl.oclc.org/ooxml/officeDocument/customXml';
/** Store ids for bindings to document properties (MS-OE376 2.1.558). */
const PROPERTIES: ReadonlyMap<string, string> = new Map([
  ['core-properties', '{6C3C8BC8-F283-45AE-878A-BAB7291924A1}'],
  ['extended-properties', '{6668398D-A668-4E3E-A5EB-62B293D839F1}'],
]);
const SIGNATURE_ORIGIN = /\/digital-signature\/origin$/;
/** Entries of the archive that describe parts, and folders. */
const NOT_PARTS = /^\[content_types\]\.xml$|(?:^|\/)_rels\/[^/]*\.rels$|\/$/;
/** Content types of signatures and macros, which have warnings of their own. */
const REMOVED_TYPES = /digital-signature|vba|keymapcustomizations/i;
const PLACEHOLDER_STYLE = 'PlaceholderText';
const PLACEHOLDER_STYLE_NAME = 'placeholder text';
/** Memory use of a tree node and of a string character. */
const NODE_BYTES = 200;
const CHARACTER_BYTES = 2;

/** A document parsed for filling. It is cached, so filling must not modify it. */
export interface Template {
  /** The original file. */
  source: Buffer;
  document: OoxmlPackage;
  stories: readonly Story[];
  controls: readonly Control[];
  sections: readonly Section[];
  index: FieldIndex;
  placeholders: Placeholders;
  wordFields: readonly WordField[];
  /** Keys of the data parts to which controls may be bound, by their ids (GUIDs in upper case). */
  dataParts: ReadonlyMap<string, string>;
  /** Ids of the character styles of prompts. */
  promptStyles: ReadonlySet<string>;
  /** The style for new tables. */
  tableStyle: TableStyle | undefined;
  /** Every `wp:docPr/@id` of all parts. */
  drawingIds: ReadonlySet<number>;
  hasSignatures: boolean;
  hasMacros: boolean;
  /** It had hyperlinks without a target or with an unsafe one, which are removed. */
  hasLostLinks: boolean;
  /** Active content that it had. */
  activeContent: readonly ActiveContent[];
  /** It has parts to which no relationship leads. They do not go into a filled document. */
  hasLooseParts: boolean;
  /** The source was not a plain DOCX: it had macros, or the content type of a template. */
  isNormalized: boolean;
  /** What other modules have derived from the template and keep with it. */
  derived: Map<string, unknown>;
  /** Approximate memory use. */
  memoryBytes: number;
}

/**
 * Opens and checks a DOCX, and finds its fields. Rejects with TemplateError: INVALID_FILE_FORMAT, DOCUMENT_ENCRYPTED or
 * DOCUMENT_TOO_COMPLEX.
 */
export async function openTemplate(source: Buffer): Promise<Template> {
  const first = new Survey();
  const given = await openPackage(source, [...activeContent(), macros(), first], new Budget());
  const isEdited = [...given.parts.values()].some(({ edits }) => edits.length > 0);
  // Filling must not edit what has edits already.
  const survey = isEdited ? new Survey() : first;
  const document = isEdited
    ? await openPackage(writePackage(given, { isCompressed: true }), [survey], new Budget())
    : given;
  const { dropped } = given;
  const stories = survey.stories();
  const controls = stories.flatMap(controlsOf);
  const placeholders = new Placeholders(stories);
  return {
    source,
    document,
    stories,
    controls,
    sections: sectionsOf(stories),
    index: new FieldIndex(controls),
    placeholders,
    wordFields: stories.flatMap(wordFieldsOf),
    dataParts: survey.dataParts,
    promptStyles: survey.promptStyles,
    tableStyle: survey.tableStyles.best,
    drawingIds: survey.drawingIds,
    hasSignatures: first.hasSignatures,
    hasMacros: dropped.some(({ what }) => what === 'macro'),
    hasLostLinks: dropped.some(({ what }) => what === 'external link' || what === 'unsafe link'),
    activeContent: activeContentIn(dropped),
    hasLooseParts: hasLooseParts(given),
    isNormalized:
      isEdited ||
      isRelinked(given) ||
      dropped.length > 0 ||
      given.contentTypes.typeOf(given.main.name) !== given.main.contentType,
    derived: new Map(),
    memoryBytes: survey.memoryBytes + source.length + placeholders.memoryBytes,
  };
}

/** Whether relationships were removed. Not all of them are named. */
function isRelinked({ archive, parts }: OoxmlPackage): boolean {
  return [...parts.values()].some(
    ({ name, relationships: { entry } }) =>
      entry === undefined && archive.has(relationshipsName(name).toLowerCase()),
  );
}

/** Parts that were removed on purpose are not loose. */
function hasLooseParts({ archive, parts, contentTypes }: OoxmlPackage): boolean {
  return [...archive].some(
    ([key, { name }]) =>
      !parts.has(key) && !NOT_PARTS.test(key) && !REMOVED_TYPES.test(contentTypes.typeOf(name)),
  );
}

/** Collects facts while a document is opened. */
class Survey implements Inspector {
  readonly promptStyles = new Set([PLACEHOLDER_STYLE]);
  readonly tableStyles = new TableStyles();
  readonly drawingIds = new Set<number>();
  hasSignatures = false;
  memoryBytes = 0;
  readonly #places = new Map<string, Place>();
  readonly #styleParts = new Set<string>();
  /** The described parts, by the part that contains their id. */
  readonly #described = new Map<string, string>();
  readonly dataParts = new Map<string, string>();
  readonly #trees: { part: Part; place: Place; tree: TreeBuilder }[] = [];

  keepsRelationship: Inspector['keepsRelationship'] = ({ kind, type, part }, source) => {
    if (SIGNATURE_ORIGIN.test(type)) {
      this.hasSignatures = true;
      return false;
    }
    const place = placeOf(kind);
    if (part !== undefined && place !== undefined && !this.#places.has(part)) this.#places.set(part, place);
    if (part === undefined) return true;
    if (kind === 'styles') this.#styleParts.add(part);
    if (kind === 'customXmlProps' && source !== undefined) this.#described.set(part, source.key);
    const properties = source === undefined ? PROPERTIES.get(kind) : undefined;
    if (properties !== undefined) this.dataParts.set(properties, part);
    return true;
  };

  visit: Inspector['visit'] = (part) => {
    this.memoryBytes += part.bytes.length + CHARACTER_BYTES * (part.xml?.length ?? 0);
    if (this.#styleParts.has(part.key)) return this.#visitStyles();
    const described = this.#described.get(part.key);
    if (described !== undefined) return this.#visitDataProperties(described);
    const place = this.#places.get(part.key);
    if (place === undefined) return undefined;
    const tree = new TreeBuilder();
    this.#trees.push({ part, place, tree });
    return { ...tree.visitor, ...this.#visitDrawings() };
  };

  stories(): Story[] {
    return this.#trees.map(({ part, place, tree }) => {
      const xml = part.xml ?? '';
      this.memoryBytes += NODE_BYTES * tree.count;
      return { part, place, xml, root: tree.root, dialect: dialectOf(xml, tree.root) };
    });
  }

  #visitDrawings(): XmlVisitor {
    const open = (tag: { attribute(name: string): string | undefined }) => {
      this.drawingIds.add(Number(tag.attribute('id')));
    };
    return { 'wp:docPr': { open } };
  }

  #visitDataProperties(described: string): XmlVisitor {
    const handlers = [CUSTOM_XML, STRICT_CUSTOM_XML].map((uri) => [
      canonicalName(uri, 'datastoreItem'),
      {
        open: (tag: { attribute(name: string): string | undefined }) => {
          const id = tag.attribute(canonicalName(uri, 'itemID'))?.toUpperCase();
          if (id !== undefined) this.dataParts.set(id, described);
        },
      },
    ]);
    return Object.fromEntries(handlers);
  }

  #visitStyles(): XmlVisitor {
    let id: string | undefined;
    return {
      'w:style': {
        open: (tag) => {
          id = tag.attribute('w:styleId');
          this.tableStyles.openStyle(tag);
        },
      },
      'w:tblStylePr': { open: (tag) => this.tableStyles.openPart(tag) },
      'w:name': {
        open: (tag) => {
          const isPrompt = tag.attribute('w:val')?.toLowerCase() === PLACEHOLDER_STYLE_NAME;
          if (isPrompt && id !== undefined) this.promptStyles.add(id);
        },
      },
    };
  }
}
