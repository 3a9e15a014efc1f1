import { circumstances, measuredTables } from './measured-tables.ts';
import type { Measurement } from './measurement.ts';
import { sizingTables } from './sizing-tables.ts';
import { markdown } from './table.ts';

/** What was measured, and the sizes that follow from it for such rates, requests a second. */
export function sizingMarkdown(measurement: Measurement, rates: readonly number[]): string {
  const tables = [...measuredTables(measurement), ...sizingTables(measurement, rates)];
  return [circumstances(measurement), '', ...tables.map(markdown)].join('\n');
}
