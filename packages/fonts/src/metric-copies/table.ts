import { readFileSync } from 'node:fs';

export const FACES = ['regular', 'bold', 'italic', 'boldItalic'] as const;
export type Face = (typeof FACES)[number];

/** The widths of characters, in 1/2048 of the size. */
export type Widths = ReadonlyMap<string, number>;

/** What a copy of a free font is made of. The copy has the widths and the height of lines of fonts that are not free. */
export interface MetricCopy {
  /** Families whose documents look the same with the copy. */
  replaces: readonly string[];
  /** The name of the copy. */
  family: string;
  /** Families that are copied. The first one that is installed counts. */
  sources: readonly string[];
  /** In 1/2048 of the size, like all numbers here. By default, lines are as high as those of the source. */
  ascent?: number;
  descent?: number;
  /** Those of a font of fixed pitch. */
  advance?: number;
  /** All of them are those of the source if none is named. */
  widths: Readonly<Record<Face, Widths>>;
  /** Whether the widths of nearly all letters and digits are known, in each face. Otherwise some are estimates. */
  hasAllWidths: boolean;
}

/** In the file, each width has its characters. */
interface Entry extends Omit<MetricCopy, 'widths' | 'hasAllWidths'> {
  widths?: Partial<Record<Face, Record<string, string>>>;
}

const TABLE = new URL('../../assets/metric-copies.json', import.meta.url);
/** Number among the 62 letters and digits of ASCII. */
const KNOWN_MIN = 36;

/** The table of metric copies: facts about fonts, as measured in PDFs and published. */
export function metricCopies(): MetricCopy[] {
  const entries = JSON.parse(readFileSync(TABLE, 'utf8')) as Entry[];
  return entries.map((entry) => {
    const faces = FACES.map((face) => [face, characterWidths(entry.widths?.[face] ?? {})] as const);
    const hasAllWidths =
      entry.widths === undefined ||
      entry.advance !== undefined ||
      faces.every(([, widths]) => isKnown(widths));
    return { ...entry, widths: Object.fromEntries(faces) as Record<Face, Widths>, hasAllWidths };
  });
}

const characterWidths = (byWidth: Record<string, string>): Widths =>
  new Map(
    Object.entries(byWidth).flatMap(([width, characters]) =>
      [...characters].map((each) => [each, Number(width)]),
    ),
  );

/** Whether the widths of a face are known. */
export const isKnown = (widths: Widths): boolean =>
  [...widths.keys()].filter((character) => /[A-Za-z0-9]/.test(character)).length >= KNOWN_MIN;
