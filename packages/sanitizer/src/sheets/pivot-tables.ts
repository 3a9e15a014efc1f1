import type { Inspector } from '@scriptorium/ooxml/package';

/** Where a pivot table begins and ends (ECMA-376-1 §18.10.1.49), within this many characters of its element. */
const LOCATION = /^location[^>]*? ref="[A-Z]{1,3}(\d{1,7})(?::[A-Z]{1,3}(\d{1,7}))?"/;
const LOCATION_CHARS_MAX = 500;

/**
 * Removes pivot tables: a sheet shows their values in cells of its own. Programs that write no such cells leave them to
 * the reader, which has to calculate the table. These are reported.
 */
export function pivotTables(): Inspector {
  /** The rows with a value, of each sheet with a pivot table. */
  const rowsOf = new Map<string, Set<number>>();
  const sheetOf = new Map<string, string>();
  return {
    keepsRelationship({ kind, part }, source) {
      if (kind !== 'pivotTable' || part === undefined || source === undefined) return true;
      sheetOf.set(part, source.name);
      rowsOf.set(source.name, new Set());
      return true;
    },
    visit({ name }) {
      const rows = rowsOf.get(name);
      if (rows === undefined) return undefined;
      let row = 0;
      const addRow = () => void rows.add(row);
      return {
        'x:c': {
          open(tag) {
            row = Number(/\d{1,7}$/.exec(tag.attribute('r') ?? '')?.[0]);
          },
        },
        'x:v': { open: addRow },
        'x:is': { open: addRow },
        'x:f': { open: addRow },
      };
    },
    keepsPart(part, dropped) {
      const sheet = sheetOf.get(part.key);
      if (sheet === undefined) return true;
      const start = part.bytes.indexOf('location ');
      const text = start < 0 ? '' : part.bytes.toString('latin1', start, start + LOCATION_CHARS_MAX);
      const [, first, last = first] = LOCATION.exec(text) ?? [];
      const rows = [...(rowsOf.get(sheet) ?? [])];
      if (!rows.some((row) => row >= Number(first) && row <= Number(last)))
        dropped.push({
          what: 'unknown part',
          part: part.name,
          detail: 'pivot table without values in the sheet',
          leavesGap: true,
        });
      return false;
    },
  };
}
