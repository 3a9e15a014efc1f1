/** Rows with the same columns, for printing. */
export interface Table {
  title: string;
  rows: Record<string, string>[];
}

/** A figure with its significant digits: 0.42, 4.2, 42, 4,200. */
export function figure(value: number): string {
  if (value >= 10) return Math.round(value).toLocaleString('en');
  return value.toFixed(value >= 1 ? 1 : 2);
}

export function markdown({ title, rows }: Table): string {
  const columns = Object.keys(rows[0] ?? {});
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    `### ${title}`,
    '',
    line(columns),
    line(columns.map(() => '---')),
    ...rows.map((row) => line(columns.map((column) => row[column] ?? ''))),
    '',
  ].join('\n');
}
