import { Budget } from '@scriptorium/ooxml/bounds';
import { readArchive, unpackEntry } from '@scriptorium/ooxml/zip';
import { writeArchive } from '@scriptorium/ooxml/zip';

/** `placeText` of `shared/src/jobs/rows.ts`. */
const PLACE = /\u{F5C0}(\d{1,5})\u{F5C1}/gu;
const PLACE_START = Buffer.from('\u{F5C0}');

/** Returns a form without the texts of these places. What surrounds a text stays. */
export async function withoutPlaces(form: Buffer, places: ReadonlySet<number>): Promise<Buffer> {
  const budget = new Budget();
  const files = [...(await readArchive(form, budget)).values()].map((entry) => {
    if (!entry.name.endsWith('.xml')) return { name: entry.name, entry };
    const data = unpackEntry(entry, budget);
    if (!data.includes(PLACE_START)) return { name: entry.name, entry };
    const text = data.toString().replace(PLACE, (place, number) => (places.has(Number(number)) ? '' : place));
    return { name: entry.name, data: Buffer.from(text) };
  });
  return writeArchive(files, { isCompressed: false });
}
