import { circumstances, measuredTables } from './measured-tables.ts';
import type { Measurement } from './measurement.ts';
import { sizingTables } from './sizing-tables.ts';
import { markdown } from './table.ts';

/** The measurement, and the sizes that follow from it for these rates, requests per second. */
export function sizingMarkdown(measurement: Measurement, rates: readonly number[]): string {
  const tables = [...measuredTables(measurement), ...sizingTables(measurement, rates)];
  return [circumstances(measurement), '', ...tables.map(markdown)].join('\n');
}
