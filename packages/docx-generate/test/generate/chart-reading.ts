import type { Json } from '@scriptorium/expressions/expression';
import { Budget } from '@scriptorium/ooxml/bounds';
import { type OoxmlPackage, openPackage } from '@scriptorium/ooxml/package';
import { readArchive, unpackEntry } from '@scriptorium/ooxml/zip';
import type { Filled } from './generated.ts';

export const CATEGORIES = ['North', 'South & East', 'West'];

/** A value with a series for each list of values. */
export function chart(values: (number | null)[][], more: Record<string, Json> = {}): { $chart: Json } {
  const list = values.map((own, index) => ({ name: `Region ${index + 1}`, values: own }));
  return { $chart: { categories: CATEGORIES, series: list, ...more } };
}

const text = (source: string) => source.replace(/<[^>]*>/g, '').replaceAll('&amp;', '&');

/** What a chart shows, by its caches. */
export function shown(xml: string) {
  return [...xml.matchAll(/<c:ser>.*?<\/c:ser>/gs)].map(([source]) => {
    const within = (name: string) => new RegExp(`<c:${name}>(.*?)</c:${name}>`, 's').exec(source)?.[1] ?? '';
    const cells = (name: string) =>
      [...within(name).matchAll(/<c:v>(.*?)<\/c:v>/g)].map(([, value = '']) => text(value));
    const ranges = [...source.matchAll(/<c:f>(.*?)<\/c:f>/g)].map(([, range = '']) => range);
    const [name] = cells('tx');
    return {
      name,
      across: [...cells('cat'), ...cells('xVal')],
      values: [...cells('val'), ...cells('yVal')],
      ranges,
      source,
    };
  });
}

/** The parts to which the charts of a document lead, in the order of the drawings. */
export async function chartsOf({ bytes }: Filled) {
  const document = await openPackage(bytes);
  const ids = [...(document.main.xml ?? '').matchAll(/<c:chart [^>]*r:id="([^"]+)"/g)].map(([, id]) => id);
  return ids.map((id) => related(document, document.main.key, (found) => found.id === id));
}

function related(
  document: OoxmlPackage,
  from: string,
  isIt: (found: { id: string; kind: string }) => boolean,
) {
  const relationship = document.parts.get(from)?.relationships.list.find(isIt);
  const part = document.parts.get(relationship?.part ?? '');
  if (part === undefined) throw new Error('a relationship leads nowhere');
  const to = (kind: string) => related(document, part.key, (found) => found.kind === kind).part;
  return { part, xml: part.xml ?? '', to };
}

/** The cells of a workbook's sheet. */
export async function cellsOf(workbook: Buffer): Promise<Map<string, string>> {
  const archive = await readArchive(workbook, new Budget());
  const sheet = archive.get('xl/worksheets/sheet1.xml');
  if (sheet === undefined) throw new Error('the workbook has no sheet');
  const xml = unpackEntry(sheet, new Budget()).toString();
  return new Map(
    [...xml.matchAll(/<c r="([A-Z]+\d+)".*?<\/c>/g)].map(([source, cell = '']) => [cell, text(source)]),
  );
}

/** The cells of a range such as `Sheet1!$B$2:$B$4`. */
export function cellsIn(cells: ReadonlyMap<string, string>, range: string): string[] {
  const [, column, from, to] = /^Sheet1!\$([A-Z]+)\$(\d+)(?::\$[A-Z]+\$(\d+))?$/.exec(range) ?? [];
  const rows = Array.from(
    { length: Number(to ?? from) - Number(from) + 1 },
    (_, index) => Number(from) + index,
  );
  return rows.map((row) => cells.get(`${column}${row}`)).filter((cell) => cell !== undefined);
}
