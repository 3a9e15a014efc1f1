import { CONDITION_FORMATTERS } from './formatters/conditions.ts';
import { DATE_FORMATTERS } from './formatters/dates.ts';
import type { Formatter } from './formatters/formatter.ts';
import { LIST_FORMATTERS } from './formatters/lists.ts';
import { NUMBER_FORMATTERS } from './formatters/numbers.ts';
import { TEXT_FORMATTERS } from './formatters/texts.ts';

/** Every formatter by its names. To add one: an entry in the list of its kind. */
export const FORMATTERS: ReadonlyMap<string, Formatter> = new Map(
  [NUMBER_FORMATTERS, DATE_FORMATTERS, TEXT_FORMATTERS, LIST_FORMATTERS, CONDITION_FORMATTERS].flatMap(
    (list) =>
      list.flatMap(([names, formatter]) => names.split(' ').map((name) => [name, formatter] as const)),
  ),
);
