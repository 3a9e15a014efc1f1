/** One line of a page with a value. */
export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** One metric of a page. */
export interface Family {
  name: string;
  help: string;
  type: string;
  samples: Sample[];
}

/** A page of metrics, by the names of the metrics. */
export type Page = ReadonlyMap<string, Family>;

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const LABEL = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\[\\\\"n])*"';
const HELP = new RegExp(`^# HELP (${NAME}) (.+)$`);
const TYPE = new RegExp(`^# TYPE (${NAME}) (counter|gauge|histogram|summary|untyped)$`);
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(${LABEL}(?:,${LABEL})*)\\})? (\\S+)$`);
const SUFFIXES: Record<string, readonly string[]> = {
  histogram: ['_bucket', '_sum', '_count'],
  summary: ['', '_sum', '_count'],
};

/**
 * Reads a page in the text format 0.0.4, more strictly than Prometheus. Each metric's HELP and TYPE must precede its values, and
 * series must be unique. Throws with the faulty line.
 * https://prometheus.io/docs/instrumenting/exposition_formats/#text-format-details
 */
export function parsePage(text: string): Page {
  if (!text.endsWith('\n')) throw new Error('the last line has no end');
  const page = new Map<string, Family>();
  const seen = new Set<string>();
  let current: Family | undefined;
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const fail = (why: string): never => {
      throw new Error(`${why}: ${line}`);
    };
    const [, named, help = ''] = HELP.exec(line) ?? [];
    if (named !== undefined) {
      if (page.has(named)) fail('a second time');
      current = { name: named, help, type: '', samples: [] };
      page.set(named, current);
      continue;
    }
    if (current === undefined) return fail('before any HELP');
    const [, typed, type = ''] = TYPE.exec(line) ?? [];
    if (typed !== undefined) {
      if (typed !== current.name || current.type !== '') fail('not right after its HELP');
      current.type = type;
      continue;
    }
    const sample = parseSample(line) ?? fail('unreadable');
    if (current.type === '') fail('without a TYPE');
    const names = (SUFFIXES[current.type] ?? ['']).map((suffix) => `${current?.name}${suffix}`);
    if (!names.includes(sample.name)) fail(`under ${current.name}`);
    const series = seriesOf(sample);
    if (seen.has(series)) fail('a series twice');
    seen.add(series);
    current.samples.push(sample);
  }
  return page;
}

function parseSample(line: string): Sample | undefined {
  const [, name, labelText = '', valueText = ''] = SAMPLE.exec(line) ?? [];
  if (name === undefined) return undefined;
  const value = Number(valueText.replace('Inf', 'Infinity'));
  if (Number.isNaN(value) && valueText !== 'NaN') return undefined;
  const pairs = [...labelText.matchAll(/([^=,]+)="((?:[^"\\]|\\.)*)"/g)].map(
    ([, label = '', text = '']) => [label, unescaped(text)] as const,
  );
  const labels = Object.fromEntries(pairs);
  return Object.keys(labels).length === pairs.length ? { name, labels, value } : undefined;
}

const unescaped = (text: string): string =>
  text.replace(/\\(.)/g, (_, sign: string) => (sign === 'n' ? '\n' : sign));

const seriesOf = ({ name, labels }: Sample): string =>
  `${name} ${JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)))}`;

/** The value of the series with exactly these labels; undefined if it is missing. */
export function seriesValue(
  page: Page,
  name: string,
  labels: Record<string, string> = {},
  suffix = '',
): number | undefined {
  const wanted = seriesOf({ name: `${name}${suffix}`, labels, value: 0 });
  return page.get(name)?.samples.find((sample) => seriesOf(sample) === wanted)?.value;
}

/** Faults in the buckets, sums, counts and counters of a page; empty if there are none. */
export function faultsOf(page: Page): string[] {
  return [...page.values()].flatMap((family) => {
    if (family.type === 'histogram') return histogramFaults(family);
    if (family.type !== 'counter') return [];
    const odd = family.samples.filter(({ value }) => !(value >= 0 && value < Number.POSITIVE_INFINITY));
    return odd.map((sample) => `${seriesOf(sample)} is ${sample.value}`);
  });
}

function histogramFaults({ name, samples }: Family): string[] {
  const groups = new Map<string, Sample[]>();
  for (const sample of samples) {
    const { le, ...labels } = sample.labels;
    const group = seriesOf({ name, labels, value: 0 });
    groups.set(group, [...(groups.get(group) ?? []), sample]);
  }
  return [...groups].flatMap(([group, list]) => {
    const buckets = list.filter((sample) => sample.name === `${name}_bucket`);
    const bounds = buckets.map(({ labels }) => Number(labels.le?.replace('Inf', 'Infinity')));
    const count = list.find((sample) => sample.name === `${name}_count`)?.value;
    const sum = list.find((sample) => sample.name === `${name}_sum`)?.value;
    const grows = (values: number[]) => values.every((value, i) => i === 0 || value >= (values[i - 1] ?? 0));
    return [
      ...(grows(bounds) && bounds.at(-1) === Number.POSITIVE_INFINITY ? [] : [`${group}: bounds ${bounds}`]),
      ...(grows(buckets.map(({ value }) => value)) ? [] : [`${group}: a bucket is less than the one before`]),
      ...(buckets.at(-1)?.value === count ? [] : [`${group}: ${count} counted, not those of +Inf`]),
      ...(sum !== undefined && sum >= 0 ? [] : [`${group}: a sum of ${sum}`]),
    ];
  });
}
