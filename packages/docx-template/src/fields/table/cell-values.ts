import { invalidField } from '../invalid.ts';
import type { RowTemplate } from './row-template.ts';

/**
 * The text of each cell of a row. If there is a value for each column of the grid, a cell over several columns gets
 * their values, joined by spaces. Otherwise there is one value per cell, and missing ones are empty.
 *
 * Throws TemplateError VALIDATION_ERROR if a value has no cell. `path` is the path of the row:
 * `fields[0].value[7]`.
 */
export function cellValues(
  values: readonly string[],
  template: RowTemplate,
  path: string,
): readonly string[] {
  const { cells, columns } = template;
  if (values.length === cells.length) return values;
  if (values.length === columns) return byColumn(values, template, path);
  if (values.length > cells.length) {
    const other = columns === cells.length ? '' : `, or ${columns}, one for each column of the table`;
    throw invalidField(
      path,
      `has ${values.length} values, but the template row takes at most ${cells.length}${other}`,
    );
  }
  return cells.map((_, index) => values[index] ?? '');
}

function byColumn(
  values: readonly string[],
  { cells, gridBefore, gridAfter, columns }: RowTemplate,
  path: string,
): string[] {
  const isOutside = (index: number) => index < gridBefore || index >= columns - gridAfter;
  const lost = values.findIndex((value, index) => value !== '' && isOutside(index));
  if (lost !== -1)
    throw invalidField(`${path}[${lost}]`, 'is for a column in which the template row has no cell');
  let at = gridBefore;
  return cells.map((cell) => {
    const own = values.slice(at, at + cell.columns);
    at += cell.columns;
    return own.filter((value) => value !== '').join(' ');
  });
}
