import { percentile } from '../measure.ts';
import { markdown } from '../scale/table.ts';
import type { Distance } from './distance.ts';

/** A document, and its distance from what Office made of it. */
export interface Compared {
  name: string;
  /** The suffix of the document. */
  format: string;
  replacedFonts: readonly string[];
  distance: Distance;
}

const share = (part: number, whole: number): string => `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`;
const points = (values: readonly number[], at: number): string =>
  values.length === 0 ? '' : percentile(values, at).toFixed(1);

/** One row for each format. */
export function rowsByFormat(compared: readonly Compared[]): Record<string, string>[] {
  const byFormat = Map.groupBy(compared, ({ format }) => format);
  return [...byFormat]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([format, list]) => {
      const distances = list.map(({ distance }) => distance);
      const total = (value: (distance: Distance) => number) =>
        distances.reduce((sum, distance) => sum + value(distance), 0);
      const lines = total(({ linesOfOffice }) => linesOfOffice);
      const equal = distances.filter(({ pages, pagesOfOffice }) => pages === pagesOfOffice).length;
      const moved = distances.flatMap(({ wordsMoved }) => wordsMoved);
      const pixels = distances.map(({ pixelsDiffering }) => pixelsDiffering);
      return {
        format: format.toUpperCase(),
        documents: `${list.length}`,
        'pages equal': share(equal, list.length),
        'lines the same': share(
          total(({ sameLines }) => sameLines),
          lines,
        ),
        'on the same page': share(
          total(({ onSamePage }) => onSamePage),
          lines,
        ),
        'words moved, median pt': points(moved, 0.5),
        'p95 pt': points(moved, 0.95),
        'pixels that differ, median': share(percentile(pixels, 0.5), 1),
        'characters lost': `${total(({ lostCharacters }) => lostCharacters)}`,
      };
    });
}

/** One row for each document. */
export function rowsByDocument(compared: readonly Compared[]): Record<string, string>[] {
  return compared.map(({ name, replacedFonts, distance }) => ({
    document: name,
    pages: `${distance.pages} of ${distance.pagesOfOffice}`,
    'lines the same': share(distance.sameLines, distance.linesOfOffice),
    'on the same page': share(distance.onSamePage, distance.linesOfOffice),
    'median pt': points(distance.wordsMoved, 0.5),
    pixels: share(distance.pixelsDiffering, 1),
    lost: `${distance.lostCharacters}`,
    replaced: replacedFonts.join(', '),
  }));
}

/** `docs/reference/fidelity.md`. */
export function fidelityPage(compared: readonly Compared[], engine: string): string {
  return [
    '# Fidelity to Office',
    '',
    'Written by `npm run fidelity -- DIR --save`, from documents of public repositories and the PDFs that Office made of',
    'them. [How it compares](../../bench/README.md#fidelity).',
    '',
    `With ${engine}:`,
    '',
    markdown({ title: 'By format', rows: rowsByFormat(compared) }),
  ].join('\n');
}
