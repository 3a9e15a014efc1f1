import type { Json } from '@scriptorium/expressions/expression';
import { escapeXml } from '@scriptorium/ooxml/xml';
import { invalidValue, isJsonObject, pathTo } from './value-kind.ts';

/** HTML of a list of texts, or of a table: its rows, or an object with `header` and `rows`. Throws TemplateError. */
export function htmlOfList(value: Json, as: 'list' | 'table', path: string): string {
  if (as === 'list')
    return tagged(
      'ul',
      textsOf(value, path)
        .map((text) => tagged('li', text))
        .join(''),
    );
  const [header, rows, at] = isJsonObject(value)
    ? [value.header, value.rows, pathTo(path, 'rows')]
    : [undefined, value, path];
  if (!Array.isArray(rows)) throw invalidValue(at, 'must be a list of rows, because its mark shows a table');
  const rowOf = (cell: 'th' | 'td', own: Json, place: string) =>
    tagged(
      'tr',
      textsOf(own, place)
        .map((text) => tagged(cell, text))
        .join(''),
    );
  const first = header == null ? '' : rowOf('th', header, pathTo(path, 'header'));
  return tagged('table', first + rows.map((row, index) => rowOf('td', row, pathTo(at, index))).join(''));
}

/** The items of a list as HTML. A text is a list of one. */
function textsOf(value: Json, path: string): string[] {
  const items: readonly Json[] = Array.isArray(value) ? value : [value];
  return items.map((item, index) => {
    if (typeof item === 'object' && item !== null)
      throw invalidValue(Array.isArray(value) ? pathTo(path, index) : path, 'must be a text');
    return escapeXml(String(item ?? '')).replaceAll('\n', '<br/>');
  });
}

function tagged(name: string, content: string): string {
  return `<${name}>${content}</${name}>`;
}
