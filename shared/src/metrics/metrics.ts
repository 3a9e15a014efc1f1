import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { within } from '../health.ts';

const PREFIX = 'scriptorium_';

/** Seconds, from a small template to the usual deadline. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** What a page says of one metric, whatever it counts now. */
export interface MetricDescription {
  name: string;
  type: 'counter' | 'gauge' | 'histogram';
  labels: readonly string[];
  help: string;
}

/** As prom-client writes it, where the format has NaN. */
const NOT_A_NUMBER = / Nan$/gm;

/** Counts without labels are there from the start, at 0; those with labels as soon as each is first counted. */
export interface Metrics {
  /** Names are without `scriptorium_`. No label's value may come from a caller: each is a time series for ever. */
  counter<Label extends string = never>(
    name: string,
    help: string,
    labels?: readonly Label[],
  ): Counter<Label>;
  gauge<Label extends string = never>(name: string, help: string, labels?: readonly Label[]): Gauge<Label>;
  /** Of seconds. */
  histogram<Label extends string = never>(
    name: string,
    help: string,
    labels?: readonly Label[],
  ): Histogram<Label>;
  /** Called before every page: what is only known by looking. A failure leaves the page without what it would have set. */
  beforePage(look: () => Promise<void> | void): void;
  /** Those of this service, in the order in which they were made; not those that every Node process has. */
  described(): MetricDescription[];
  /** Who asks while a page is being made gets that one: a second look would take from it what the first has found. */
  page(): Promise<MetricsPage>;
}

/** In the text format of Prometheus 0.0.4. */
export interface MetricsPage {
  contentType: string;
  text: string;
}

/** The metrics of one process: its own and those that every Node process has. */
export function createMetrics(service: string, version: string): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const looks: (() => Promise<void> | void)[] = [];
  const described: MetricDescription[] = [];
  const optionsOf = <Label extends string>(
    type: MetricDescription['type'],
    suffix: string,
    help: string,
    labels: readonly Label[],
  ) => {
    const name = `${PREFIX}${suffix}`;
    described.push({ name, type, labels, help });
    return { name, help, labelNames: [...labels], registers: [registry] };
  };
  let page: Promise<MetricsPage> | undefined;
  const makePage = async (): Promise<MetricsPage> => {
    await Promise.allSettled(looks.map((look) => within((async () => look())())));
    const text = await registry.metrics();
    return { contentType: registry.contentType, text: text.replace(NOT_A_NUMBER, ' NaN') };
  };
  const metrics: Metrics = {
    counter: (name, help, labels = []) => new Counter(optionsOf('counter', name, help, labels)),
    gauge: (name, help, labels = []) => new Gauge(optionsOf('gauge', name, help, labels)),
    histogram: (name, help, labels = []) =>
      new Histogram({ ...optionsOf('histogram', name, help, labels), buckets: SECONDS }),
    beforePage: (look) => void looks.push(look),
    described: () => [...described],
    page() {
      page ??= makePage().finally(() => {
        page = undefined;
      });
      return page;
    },
  };
  metrics
    .gauge('build_info', 'Always 1; its labels say what runs', ['service', 'version'])
    .set({ service, version }, 1);
  return metrics;
}

/**
 * Shows a count as 0 for each of these values: how much a count grew is only seen from its second appearance on, so that of
 * one that appears at 1, the first is missed. https://prometheus.io/docs/practices/instrumentation/#avoid-missing-metrics
 */
export function startAtZero<Label extends string>(
  counter: Counter<Label>,
  label: NoInfer<Label>,
  values: readonly string[],
  others: Partial<Record<NoInfer<Label>, string>> = {},
): void {
  for (const value of values) counter.inc({ ...others, [label]: value } as Record<Label, string>, 0);
}
