interface TableEditorProps {
  label: string;
  columns: number;
  rows: string[][];
  onChange: (rows: string[][]) => void;
}

/** Rows of cells. Cells from a spreadsheet can be pasted into any of them. */
export function TableEditor({ label, columns, rows, onChange }: TableEditorProps) {
  const shown = rows.length === 0 ? [emptyRow(columns)] : rows;
  const set = (row: number, column: number, text: string): void =>
    onChange(shown.map((cells, at) => (at === row ? cells.with(column, text) : cells)));
  const paste = (event: ClipboardEvent, row: number, column: number): void => {
    const text = event.clipboardData?.getData('text/plain') ?? '';
    if (!/[\t\n]/.test(text)) return;
    event.preventDefault();
    onChange(withPasted(shown, columns, row, column, text));
  };
  return (
    <fieldset class="field table-editor">
      <legend>
        <bdi>{label}</bdi>
      </legend>
      <div class="grid-scroll">
        {shown.map((cells, row) => (
          <div class="grid-row" key={row}>
            {Array.from({ length: columns }, (_, column) => (
              <input
                key={column}
                dir="auto"
                aria-label={`Row ${row + 1}, column ${column + 1}`}
                value={cells[column] ?? ''}
                onInput={({ currentTarget }) => set(row, column, currentTarget.value)}
                onPaste={(event) => paste(event, row, column)}
              />
            ))}
            <button
              type="button"
              class="icon"
              aria-label={`Remove row ${row + 1}`}
              onClick={() => onChange(shown.toSpliced(row, 1))}
            >
              <span aria-hidden="true">×</span>
            </button>
          </div>
        ))}
      </div>
      <button type="button" class="link" onClick={() => onChange([...shown, emptyRow(columns)])}>
        Add a row
      </button>
      <small>Cells from a spreadsheet can be pasted.</small>
    </fieldset>
  );
}

const emptyRow = (columns: number): string[] => Array<string>(columns).fill('');

function withPasted(
  rows: string[][],
  columns: number,
  row: number,
  column: number,
  text: string,
): string[][] {
  const pasted = text
    .replace(/\r?\n$/, '')
    .split(/\r?\n/)
    .map((line) => line.split('\t'));
  const result = rows.map((cells) => [...cells]);
  for (const [at, cells] of pasted.entries()) {
    result[row + at] ??= emptyRow(columns);
    const into = result[row + at] ?? [];
    for (const [over, cell] of cells.entries()) if (column + over < columns) into[column + over] = cell;
  }
  return result;
}
