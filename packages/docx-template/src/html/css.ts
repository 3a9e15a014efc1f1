import colorNames from 'color-name';
import type { Alignment, Format } from './blocks.ts';

const HEX = /^#(?:([\da-f])([\da-f])([\da-f])|([\da-f]{6}))$/i;
const RGB = /^rgba?\(\s*(\d{1,3})\s*[,\s]\s*(\d{1,3})\s*[,\s]\s*(\d{1,3})\s*(?:[,/][^)]*)?\)$/i;
const STYLE_CHARS_MAX = 10_000;
const ALIGNMENTS: Readonly<Record<string, Alignment>> = {
  left: 'left',
  start: 'left',
  center: 'center',
  right: 'right',
  end: 'right',
  justify: 'both',
};

/** The formats that elements set by their names. */
export const FORMATS: Readonly<Record<string, Format>> = {
  b: { isBold: true },
  strong: { isBold: true },
  i: { isItalic: true },
  em: { isItalic: true },
  cite: { isItalic: true },
  u: { isUnderlined: true },
  ins: { isUnderlined: true },
  s: { isStruck: true },
  strike: { isStruck: true },
  del: { isStruck: true },
  sub: { position: 'subscript' },
  sup: { position: 'superscript' },
  code: { isCode: true },
  kbd: { isCode: true },
  tt: { isCode: true },
  pre: { isCode: true },
  th: { isBold: true },
  mark: { background: 'FFFF00' },
};
/** A CSS color as `RRGGBB`. Undefined if it is none, or depends on the page. */
export function colorOf(css: string | undefined): string | undefined {
  const text = css?.trim().toLowerCase().slice(0, 100) ?? '';
  const [, red, green, blue, whole] = HEX.exec(text) ?? [];
  if (whole !== undefined) return whole.toUpperCase();
  if (red !== undefined) return `${red}${red}${green}${green}${blue}${blue}`.toUpperCase();
  const numbers = RGB.exec(text)?.slice(1).map(Number);
  const named = Object.hasOwn(colorNames, text) ? colorNames[text as keyof typeof colorNames] : undefined;
  const parts = numbers ?? named;
  return parts
    ?.map((part) => Math.min(part, 255).toString(16).padStart(2, '0'))
    .join('')
    .toUpperCase();
}

export function alignmentOf(text: string | undefined): Alignment | undefined {
  const name = text?.trim().toLowerCase() ?? '';
  return Object.hasOwn(ALIGNMENTS, name) ? ALIGNMENTS[name] : undefined;
}

/** The declarations of a `style` attribute that text has, by their names. */
export function declarationsOf(style: string | undefined): ReadonlyMap<string, string> {
  const declarations = new Map<string, string>();
  if (style === undefined || style.length > STYLE_CHARS_MAX) return declarations;
  for (const declaration of style.split(';')) {
    const at = declaration.indexOf(':');
    const value = declaration.slice(at + 1).replace(/!\s*important\s*$/i, '');
    if (at > 0) declarations.set(declaration.slice(0, at).trim().toLowerCase(), value.trim().toLowerCase());
  }
  return declarations;
}

/** The formats that declarations set. Editors write these instead of elements. */
export function formatOf(declarations: ReadonlyMap<string, string>): Format {
  const weight = declarations.get('font-weight') ?? '';
  const decoration = declarations.get('text-decoration') ?? declarations.get('text-decoration-line') ?? '';
  const vertical = declarations.get('vertical-align');
  const color = colorOf(declarations.get('color'));
  const background = backgroundOf(declarations);
  const size = sizeOf(declarations.get('font-size'));
  return {
    ...(/^(?:bold|bolder|[6-9]00)$/.test(weight) && { isBold: true as const }),
    ...(/^(?:italic|oblique)/.test(declarations.get('font-style') ?? '') && { isItalic: true as const }),
    ...(decoration.includes('underline') && { isUnderlined: true as const }),
    ...(decoration.includes('line-through') && { isStruck: true as const }),
    ...(vertical === 'sub' && { position: 'subscript' as const }),
    ...(vertical === 'super' && { position: 'superscript' as const }),
    ...(color !== undefined && { color }),
    ...(background !== undefined && { background }),
    ...(size !== undefined && { size }),
  };
}

export function backgroundOf(declarations: ReadonlyMap<string, string>): string | undefined {
  return colorOf(declarations.get('background-color') ?? declarations.get('background'));
}

const LENGTH = /^(\d{1,4}(?:\.\d{1,3})?)\s*(px|pt)$/;
/** What Word can show, in half points. */
const SIZE_MAX = 3_276;

/** A font size in half points. Undefined for sizes that depend on the text around. */
export function sizeOf(text: string | undefined): number | undefined {
  const [, number, unit] = LENGTH.exec(text ?? '') ?? [];
  const size = Math.round(Number(number) * (unit === 'px' ? 1.5 : 2));
  return size >= 2 && size <= SIZE_MAX ? size : undefined;
}

/** Markers of lists, by their names in CSS and in the attribute `type`. */
const MARKERS: ReadonlyMap<string, string> = new Map([
  ...['decimal', '1'].map((name) => [name, 'decimal'] as const),
  ...['lower-alpha', 'lower-latin', 'a'].map((name) => [name, 'lowerLetter'] as const),
  ...['upper-alpha', 'upper-latin', 'A'].map((name) => [name, 'upperLetter'] as const),
  ...['lower-roman', 'i'].map((name) => [name, 'lowerRoman'] as const),
  ...['upper-roman', 'I'].map((name) => [name, 'upperRoman'] as const),
  ['disc', '•'],
  ['circle', '◦'],
  ['square', '▪'],
]);

/** The marker of a list: a format of numbers for ordered lists, a bullet for others. */
export function markerOf(
  style: string | undefined,
  type: string | undefined,
  isOrdered: boolean,
): string | undefined {
  const declarations = declarationsOf(style);
  const names = [
    ...(declarations.get('list-style-type') ?? declarations.get('list-style') ?? '').split(/\s+/),
    type ?? '',
  ];
  const markers = names.flatMap((name) => MARKERS.get(name) ?? []);
  return markers.find((marker) => isOrdered === /^[a-z]/.test(marker));
}

/** A length in pixels. */
const PIXELS = /^\s*(\d{1,5}(?:\.\d{1,3})?)(?:px)?\s*$/;

/** The columns or rows of a cell. */
export function spanOf(text: string | undefined): number {
  const span = Number(/^\s*(\d{1,4})\s*$/.exec(text ?? '')?.[1] ?? 1);
  return Math.min(Math.max(span, 1), 1_000);
}

export function pixelsOf(text: string | undefined): number | undefined {
  const pixels = Number(PIXELS.exec(text ?? '')?.[1] ?? 0);
  return pixels >= 1 ? pixels : undefined;
}
