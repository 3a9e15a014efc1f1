import { HTML_INLINE } from '../html-rules.ts';
import type { Styles } from './cascade.ts';
import type { PageElement } from './tree.ts';

/** What an element passes on to its content. */
export interface Look {
  /** `visibility`, which content may set anew. */
  isInvisible: boolean;
  /** `opacity`, which it may not. */
  isFaded: boolean;
  isTransparent: boolean;
  hasNoSize: boolean;
  isInTable: boolean;
  /** The background of the box, which a table in it has too. */
  background: string | undefined;
  /** Number of open quotes, and the language, which has its own. */
  quotes: number;
  language: string;
}

export const PLAIN_LOOK: Look = {
  isInvisible: false,
  isFaded: false,
  isTransparent: false,
  hasNoSize: false,
  isInTable: false,
  background: undefined,
  quotes: 0,
  language: '',
};

const LENGTH = /^([+-]?(?:\d{1,9}(?:\.\d{0,9})?|\.\d{1,9}))([a-z]{1,4}|%)?$/;
const PIXELS: Readonly<Record<string, number>> = {
  px: 1,
  pt: 4 / 3,
  pc: 16,
  in: 96,
  cm: 37.8,
  mm: 3.78,
  q: 0.94,
  em: 16,
  rem: 16,
  ex: 8,
  ch: 8,
};
/** Shorter lengths show nothing. Farther places are off the page. */
const [SHORT, FAR] = [1, 999];
const CLEAR =
  /^(?:transparent|#[\da-f]{3}0|#[\da-f]{6}00|(?:rgb|hsl)a?\([\d\s.,%]{1,60}[\s,/]0?(?:\.0{1,9})?(?:(?<=0)%)?\s?\))$/;
const CLIPPED = /^(?:hidden|clip|auto|scroll)$/;
const CLIP = /^rect\([\s,01px]+\)$/;
const INSET = /^inset\((?:[5-9]\d|100)%/;
const ROWS = /^(?:tr|thead|tbody|tfoot)$/;
/** Boxes that grow with their content. */
const TABLE = /^(?:table|t[rdh]|thead|tbody|tfoot|caption)$/;

/** A length in CSS pixels. NaN for none, or one that depends on something. */
export function pixelsOf(value: string | undefined): number {
  const [, number, unit = 'px'] = LENGTH.exec(value ?? '') ?? [];
  const length = Number(number);
  return length === 0 ? 0 : length * (PIXELS[unit] ?? Number.NaN);
}

/** Whether an element and all in it takes no part in the page, or lies off it. */
export function isCut({ name, attributes, isFull }: PageElement, styles: Styles): boolean {
  const isOff = attributes.hidden !== undefined || (name === 'dialog' && attributes.open === undefined);
  const display = styles.get('display') ?? (isOff ? 'none' : '');
  if (display === 'none' || (ROWS.test(name) && styles.get('visibility') === 'collapse')) return true;
  if (!isFull) return false;
  const is = (property: string, test: (pixels: number) => boolean) => test(pixelsOf(styles.get(property)));
  const isFar = (pixels: number) => pixels <= -FAR;
  if (
    is('text-indent', isFar) ||
    is('margin-left', isFar) ||
    /^scale\(0[,)]/.test(styles.get('transform') ?? '')
  )
    return true;
  const position = styles.get('position') ?? 'static';
  const isPlaced = position === 'absolute' || position === 'fixed';
  if (position !== 'static' && ['left', 'right', 'top', 'bottom'].some((side) => is(side, isFar)))
    return true;
  if ((isPlaced && CLIP.test(styles.get('clip') ?? '')) || INSET.test(styles.get('clip-path') ?? ''))
    return true;
  const isInline = /^(?:inline)?$/.test(display) && HTML_INLINE.has(name);
  if (!isPlaced && (isInline || (TABLE.test(name) && display === ''))) return false;
  const isShort = (pixels: number) => pixels <= SHORT;
  const isClipped = (axis: string, size: string, padding: string[]) =>
    CLIPPED.test(styles.get(`overflow-${axis}`) ?? '') &&
    (is(size, isShort) || is(`max-${size}`, isShort)) &&
    !padding.some((side) => pixelsOf(styles.get(`padding-${side}`) ?? '0') !== 0);
  return isClipped('y', 'height', ['top', 'bottom']) || isClipped('x', 'width', ['left']);
}

function hasNoSize(value: string | undefined, outer: boolean): boolean {
  if (value === undefined || /^(?:inherit|unset|smaller|larger)$/.test(value)) return outer;
  const [, number, unit] = LENGTH.exec(value) ?? [];
  if (number === undefined) return false;
  return (outer && /^(?:%|em|ex|ch)$/.test(unit ?? '')) || Math.abs(pixelsOf(value)) < SHORT / 2;
}

/** A color alone. */
const COLOR =
  /^(?!transparent|none|inherit|initial|unset|revert)(?:#[\da-f]{3,6}|[a-z]{3,20}|rgb\([\d\s,.%]{1,60}\))$/;

export function lookOf({ name, attributes }: PageElement, styles: Styles, outer: Look): Look {
  const own = (property: string) => {
    const value = styles.get(property);
    return value === 'inherit' || value === 'unset' ? undefined : value;
  };
  const [visibility, color] = [own('visibility'), own('color')];
  const background =
    name === 'body' ? '' : (own('background-color') ?? attributes.bgcolor?.toLowerCase() ?? '');
  const isText = styles.get('background-clip') === 'text';
  return {
    isInvisible: visibility === undefined ? outer.isInvisible : /^(?:hidden|collapse)$/.test(visibility),
    isFaded: outer.isFaded || Number.parseFloat(styles.get('opacity') ?? '1') <= 0,
    isTransparent: color === undefined || isText ? outer.isTransparent && !isText : CLEAR.test(color),
    hasNoSize: hasNoSize(own('font-size'), outer.hasNoSize),
    isInTable: outer.isInTable || name === 'table',
    background: COLOR.test(background) ? background : outer.background,
    quotes: outer.quotes + (name === 'q' ? 1 : 0),
    language: attributes.lang?.toLowerCase() ?? outer.language,
  };
}
