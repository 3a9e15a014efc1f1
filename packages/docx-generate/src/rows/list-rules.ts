import { attributeOf, childOf, childValue, type XmlNode } from '@scriptorium/ooxml/xml';
import type { Element } from './form-skeleton.ts';
import type { ParagraphStyles } from './paragraph-styles.ts';

type IsGone = (piece: number) => boolean;

/** A list of a document that may start anew at its first paragraph. */
interface List {
  startsAnew: boolean;
  paragraphs: Element[];
}

/**
 * Lists that depend on pieces. The engine starts a list anew at the paragraph that was the first of the form. So a row that lacks
 * that paragraph must lack the whole list.
 */
export class ListRules {
  readonly #lists: List[];
  /** The numbers of paragraphs that do not name a list. */
  readonly #isUnknown: boolean;

  /** `numbering`: the root of the lists of the document. */
  constructor(styles: ParagraphStyles, numbering: XmlNode | undefined, paragraphs: readonly Element[]) {
    this.#isUnknown = styles.isGeneral((properties) => childOf(properties, 'w:numPr') !== undefined);
    const { startingAnew, restarted } = restartsOf(numbering);
    const lists = new Map<string, List>();
    for (const paragraph of paragraphs) {
      const id = listOf(paragraph.node, styles);
      if (id === undefined || !restarted.has(id)) continue;
      const list = lists.get(id) ?? { startsAnew: startingAnew.has(id), paragraphs: [] };
      list.paragraphs.push(paragraph);
      lists.set(id, list);
    }
    this.#lists = [...lists.values()];
  }

  /** Whether a row that lacks pieces may have other numbers than its document. */
  isCut(isGone: IsGone): boolean {
    return (
      this.#isUnknown ||
      this.#lists.some(({ startsAnew, paragraphs }) => {
        const gone = paragraphs.filter((paragraph) => isInGone(paragraph, isGone)).length;
        return gone > 0 && (!startsAnew || gone < paragraphs.length);
      })
    );
  }
}

/** Whether a row lacks an element. */
export function isInGone(element: Element, isGone: IsGone): boolean {
  for (let outer: Element | undefined = element; outer !== undefined; outer = outer.parent)
    if (outer.piece !== undefined && isGone(outer.piece.number)) return true;
  return false;
}

/** The lists that start anew, and all that share their definition with one of those: they are one list for the engine. */
function restartsOf(numbering: XmlNode | undefined) {
  const children = numbering?.children ?? [];
  const nums = children.filter(({ name }) => name === 'w:num');
  // Definitions that name another one are one with it.
  const areOne = children.some((node) => childOf(node, 'w:numStyleLink') !== undefined);
  const definitionOf = (num: XmlNode) => (areOne ? '' : (childValue(num, 'w:abstractNumId') ?? ''));
  const idOf = (num: XmlNode) => attributeOf(num, 'w:numId') ?? '';
  const anew = nums.filter((num) => childOf(num, 'w:lvlOverride') !== undefined);
  const definitions = new Set(anew.map(definitionOf));
  return {
    startingAnew: new Set(anew.map(idOf)),
    restarted: new Set(nums.filter((num) => definitions.has(definitionOf(num))).map(idOf)),
  };
}

function listOf(paragraph: XmlNode, styles: ParagraphStyles): string | undefined {
  for (const properties of styles.propertiesOf(paragraph)) {
    const numbering = childOf(properties, 'w:numPr');
    const id = numbering && childValue(numbering, 'w:numId');
    if (id !== undefined) return id;
  }
  return undefined;
}
