import { isMap, isScalar, type Pair, parseDocument } from 'yaml';

const MARK = ' -- ';

/** A value of the chart: its path, its default as one line, and its purpose. */
export interface ValueRow {
  path: string;
  fallback: string;
  meaning: string;
}

/** The values of `values.yaml` with a comment of the form `# -- purpose`, in the file's order. */
export function describedValues(yaml: string): ValueRow[] {
  return rowsOf(parseDocument(yaml).contents, []);
}

function rowsOf(node: unknown, path: readonly string[]): ValueRow[] {
  if (!isMap(node)) return [];
  return node.items.flatMap((pair, index) => {
    const name = String(isScalar(pair.key) ? pair.key.value : pair.key);
    const comment = commentOf(pair, index === 0 ? node.commentBefore : undefined);
    const nested = [...path, name];
    if (comment === undefined) return rowsOf(pair.value, nested);
    const fallback = JSON.stringify(isMap(pair.value) || pair.value ? toJson(pair.value) : null);
    return [{ path: nested.join('.'), fallback, meaning: comment }];
  });
}

function toJson(node: unknown): unknown {
  return (node as { toJSON(): unknown }).toJSON();
}

/** The comment of a map's first key is attached to the map. */
function commentOf(pair: Pair, ofMap: string | null | undefined): string | undefined {
  const own = isScalar(pair.key) ? pair.key.commentBefore : undefined;
  const lines = (own ?? ofMap ?? '').split('\n').filter((line) => line.startsWith(MARK));
  return lines.at(-1)?.slice(MARK.length);
}

/** The table of the chart's README. */
export function valuesTable(yaml: string): string {
  const rows = describedValues(yaml).map(
    ({ path, fallback, meaning }) => `| \`${path}\` | \`${fallback.replaceAll('|', '\\|')}\` | ${meaning} |`,
  );
  return ['| value | default | meaning |', '| --- | --- | --- |', ...rows].join('\n');
}
