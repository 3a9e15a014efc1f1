/** Width and height of paper sizes, mm (ISO 216, ANSI/ASME Y14.1). */
const SIZES = {
  a3: [297, 420],
  a4: [210, 297],
  a5: [148, 210],
  letter: [215.9, 279.4],
  legal: [215.9, 355.6],
} as const satisfies Record<string, readonly [width: number, height: number]>;

export type Paper = keyof typeof SIZES;

export const PAPERS = Object.keys(SIZES) as [Paper, ...Paper[]];

/** Formats that do not name their paper, or not always. */
export const PAPER_SOURCES = ['html', 'md', 'txt', 'csv'] as const;

const [MM_PER_INCH, TWIPS_PER_INCH] = [25.4, 1440];

/** Further sizes that a style sheet may name (CSS Paged Media 3 §7.1). */
const FURTHER_SIZES: ReadonlyMap<string, readonly [width: number, height: number]> = new Map([
  ['b4', [250, 353]],
  ['b5', [176, 250]],
  ['jis-b4', [257, 364]],
  ['jis-b5', [182, 257]],
  ['ledger', [279.4, 431.8]],
]);

/** The lengths of a `size`, such as `A4 landscape`. `landscape` alone turns `fallback`. Undefined for what names none. */
function lengthsOf(value: string, fallback: Paper): string | undefined {
  const words = value.toLowerCase().trim().split(/\s+/);
  const names = words.filter((word) => word !== 'landscape' && word !== 'portrait');
  const [name = fallback] = names;
  const size = Object.hasOwn(SIZES, name) ? SIZES[name as Paper] : FURTHER_SIZES.get(name);
  if (size === undefined || names.length > 1 || words.length > 2) return undefined;
  return (words.includes('landscape') ? size.toReversed() : [...size]).map((mm) => `${mm}mm`).join(' ');
}

/** A style sheet whose page rules have lengths for sizes with a name: LibreOffice reads only lengths. */
export const withLengths = (css: string, fallback: Paper = 'letter'): string =>
  css.replace(/(@page[^{}]*\{[^{}]*?\bsize: )([^;{}!]*)/g, (rule, head: string, value: string) => {
    const lengths = lengthsOf(value, fallback);
    return lengths === undefined ? rule : `${head}${lengths}`;
  });

/** The rule of a style sheet. */
export function pageRule(paper: Paper, margin?: string): string {
  const [width, height] = SIZES[paper].map((mm) => Number((mm / 10).toFixed(2)));
  return `@page { size: ${width}cm ${height}cm${margin === undefined ? '' : `; margin: ${margin}`} }`;
}

/** Width and height in twentieths of a point, as Word counts. */
export function paperTwips(paper: Paper): [width: number, height: number] {
  const [width, height] = SIZES[paper].map((mm) => Math.round((mm / MM_PER_INCH) * TWIPS_PER_INCH));
  return [width ?? 0, height ?? 0];
}
