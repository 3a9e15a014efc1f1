import type { Styles } from './cascade.ts';
import { numeral, styleOfType } from './numerals.ts';
import type { PageElement } from './tree.ts';

/** Those that LibreOffice draws. */
const DRAWN = /^(?:decimal|(?:lower|upper)-(?:alpha|latin|roman)|disc|circle|square)$/;
const NUMBER = /^\s*([+-]?\d{1,9})/;

/** An open list. */
export interface List {
  type: string | undefined;
  next: number;
  step: 1 | -1;
  /** Its items need numbers of their own. */
  isNumbered: boolean;
}

const numberOf = (text: string | undefined): number | undefined => {
  const digits = NUMBER.exec(text ?? '')?.[1];
  return digits === undefined ? undefined : Number(digits);
};

export function listOf({ name, attributes, children }: PageElement, styles: Styles): List {
  const isReversed = name === 'ol' && attributes.reversed !== undefined;
  const items = isReversed
    ? children.filter((child) => typeof child !== 'string' && child.name === 'li')
    : [];
  const start = name === 'ol' ? numberOf(attributes.start) : undefined;
  return {
    type:
      styles.get('list-style-type') ?? (isReversed ? (styleOfType(attributes.type) ?? 'decimal') : undefined),
    next: start ?? (isReversed ? items.length : 1),
    step: isReversed ? -1 : 1,
    isNumbered: false,
  };
}

/** The number of an item, and the text that stands for its marker. Undefined if LibreOffice draws it. */
export function markerOf(
  { attributes }: PageElement,
  styles: Styles,
  list: List,
  onUnknown: (type: string) => void,
): { number: number; text: string | undefined } {
  const number = numberOf(attributes.value) ?? list.next;
  list.next = number + list.step;
  const isItem = (styles.get('display') ?? 'list-item') === 'list-item';
  const type = isItem ? (styles.get('list-style-type') ?? list.type) : 'none';
  const text = type === undefined ? undefined : textOf(type, number, list.step === -1, onUnknown);
  if (text !== undefined) list.isNumbered = true;
  return { number, text };
}

function textOf(
  type: string,
  number: number,
  isReversed: boolean,
  onUnknown: (type: string) => void,
): string | undefined {
  const name = type.toLowerCase();
  if (name === 'none') return '';
  if (/^["']/.test(type)) return type.slice(1, -1);
  if (DRAWN.test(name) && !isReversed) return undefined;
  const text = numeral(number, name);
  if (text !== undefined) return `${text}. `;
  if (!DRAWN.test(name) && !/^(?:inherit|initial|unset|revert)$/.test(name))
    onUnknown(`list-style-type: ${type}`);
  return undefined;
}
