import { Budget } from '@scriptorium/shared/ooxml/bounds';
import { type Inspector, openPackage } from '@scriptorium/shared/ooxml/open-package';
import type { OoxmlPackage, Part } from '@scriptorium/shared/ooxml/package';
import { macros } from '@scriptorium/shared/ooxml/sanitise/macros';
import type { XmlVisitor } from '@scriptorium/shared/ooxml/xml-scan';
import { TreeBuilder } from '@scriptorium/shared/ooxml/xml-tree';
import { type Control, controlsOf } from './controls.ts';
import { dialectOf } from './dialect.ts';
import { FieldIndex } from './field-index.ts';
import { type Place, placeOf, type Story } from './story.ts';

const SIGNATURE_ORIGIN = /\/digital-signature\/origin$/;
const PLACEHOLDER_STYLE = 'PlaceholderText';
const PLACEHOLDER_STYLE_NAME = 'placeholder text';
/** What a node of a tree, and a character of a string, take in memory. */
const NODE_BYTES = 200;
const CHARACTER_BYTES = 2;

/** A document that was read for filling. It is kept for the next call, so filling changes nothing in it. */
export interface Template {
  /** The file that it was read from. */
  source: Buffer;
  document: OoxmlPackage;
  stories: readonly Story[];
  controls: readonly Control[];
  index: FieldIndex;
  /** Ids of the character styles that prompts are shown in. */
  promptStyles: ReadonlySet<string>;
  /** The largest `wp:docPr/@id` of all parts. */
  drawingIdMax: number;
  hasSignatures: boolean;
  hasMacros: boolean;
  /** What keeping it takes, about. */
  memoryBytes: number;
}

/**
 * Opens a DOCX through the gate and finds what can be filled in it. Rejects with AppError: INVALID_FILE_FORMAT,
 * DOCUMENT_ENCRYPTED or DOCUMENT_TOO_COMPLEX.
 */
export async function openTemplate(source: Buffer): Promise<Template> {
  const survey = new Survey();
  const document = await openPackage(source, [macros(), survey], new Budget());
  const stories = survey.stories();
  const controls = stories.flatMap(controlsOf);
  return {
    source,
    document,
    stories,
    controls,
    index: new FieldIndex(controls),
    promptStyles: survey.promptStyles,
    drawingIdMax: survey.drawingIdMax,
    hasSignatures: survey.hasSignatures,
    hasMacros: document.dropped.some(({ what }) => what === 'macro'),
    memoryBytes: survey.memoryBytes + source.length,
  };
}

/** What is noticed of a document while it is opened. */
class Survey implements Inspector {
  readonly promptStyles = new Set([PLACEHOLDER_STYLE]);
  drawingIdMax = 0;
  hasSignatures = false;
  memoryBytes = 0;
  readonly #places = new Map<string, Place>();
  readonly #styleParts = new Set<string>();
  readonly #trees: { part: Part; place: Place; tree: TreeBuilder }[] = [];

  keepsRelationship: Inspector['keepsRelationship'] = ({ kind, type, part }) => {
    if (SIGNATURE_ORIGIN.test(type)) {
      this.hasSignatures = true;
      return false;
    }
    const place = placeOf(kind);
    if (part !== undefined && place !== undefined && !this.#places.has(part)) this.#places.set(part, place);
    if (part !== undefined && kind === 'styles') this.#styleParts.add(part);
    return true;
  };

  visit: Inspector['visit'] = (part) => {
    this.memoryBytes += part.bytes.length + CHARACTER_BYTES * (part.xml?.length ?? 0);
    if (this.#styleParts.has(part.key)) return this.#visitStyles();
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
      const id = Number(tag.attribute('id'));
      if (Number.isSafeInteger(id)) this.drawingIdMax = Math.max(this.drawingIdMax, id);
    };
    return { 'wp:docPr': { open } };
  }

  #visitStyles(): XmlVisitor {
    let id: string | undefined;
    return {
      'w:style': {
        open: (tag) => {
          id = tag.attribute('w:styleId');
        },
      },
      'w:name': {
        open: (tag) => {
          const isPrompt = tag.attribute('w:val')?.toLowerCase() === PLACEHOLDER_STYLE_NAME;
          if (isPrompt && id !== undefined) this.promptStyles.add(id);
        },
      },
    };
  }
}
