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
