import type { Json } from '@scriptorium/expressions/expression';
import { type ChartValue, chartKind, chartValue } from './chart.ts';
import { type KindOfValue, kindOf } from './kinds.ts';
import { isJsonObject, parseValue } from './value-kind.ts';

/**
 * The data of a value that is a chart, and where it stands in the request. Undefined for other values. Throws
 * TemplateError VALIDATION_ERROR with each issue.
 */
export function namedChart(
  value: Json | undefined,
  path: string,
): { data: ChartValue; path: string } | undefined {
  const found = chartIn(value, path);
  if (found === undefined) return undefined;
  const at = [path, ...found.within].join('.');
  return { data: parseValue(chartValue, found.value, at), path: at };
}

/** The title of a value that is a chart, empty if it has none. Undefined for other values. */
export function titleOfChart(value: Json, path: string): string | undefined {
  const found = chartIn(value, path);
  if (found === undefined) return undefined;
  const chart = found.value as Json | undefined;
  const title = isJsonObject(chart) && Object.hasOwn(chart, 'title') ? chart.title : undefined;
  return typeof title === 'string' ? title : '';
}

function chartIn(value: Json | undefined, path: string): KindOfValue | undefined {
  const found = isJsonObject(value) ? kindOf(value, path) : undefined;
  return found?.kind === chartKind ? found : undefined;
}
