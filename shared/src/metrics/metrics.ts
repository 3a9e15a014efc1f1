import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { within } from '../health.ts';

const PREFIX = 'scriptorium_';

/** Seconds, from a small template to the default deadline. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/**
 * A timer measures the lag of the event loop this often. An idle process wakes for it; the lag of a busy one that matters is
 * longer.
 */
const LAG_SAMPLE_MS = 100;

/** The description of a metric. */
export interface MetricDescription {
  name: string;
  type: 'counter' | 'gauge' | 'histogram';
  labels: readonly string[];
  help: string;
}

/** The spelling of prom-client; the format requires NaN. */
const NOT_A_NUMBER = / Nan$/gm;

/** Counters without labels start at 0. Counters with labels appear when they are first counted. */
export interface Metrics {
  /** `name` is without `scriptorium_`. Label values must not come from callers: each value adds a permanent time series. */
  counter<Label extends string = never>(
    name: string,
    help: string,
    labels?: readonly Label[],
  ): Counter<Label>;
  gauge<Label extends string = never>(name: string, help: string, labels?: readonly Label[]): Gauge<Label>;
  /** A histogram of seconds. */
  histogram<Label extends string = never>(
    name: string,
    help: string,
    labels?: readonly Label[],
  ): Histogram<Label>;
  /** Registers a probe that runs before every page. A failed probe omits its metrics. */
  beforePage(probe: () => Promise<void> | void): void;
  /** Returns the metrics of this service in order of creation, without those of every Node process. */
  described(): MetricDescription[];
  /** Concurrent calls share one page, since a second run of the probes would reset the metrics of the first. */
  page(): Promise<MetricsPage>;
}

/** A page in the text format of Prometheus 0.0.4. */
export interface MetricsPage {
  contentType: string;
  text: string;
}

/** Creates the metrics of one process, including those of every Node process. */
export function createMetrics(service: string, version: string): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_SAMPLE_MS });
  const probes: (() => Promise<void> | void)[] = [];
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
    await Promise.allSettled(probes.map((probe) => within((async () => probe())())));
    const text = await registry.metrics();
    return { contentType: registry.contentType, text: text.replace(NOT_A_NUMBER, ' NaN') };
  };
  const metrics: Metrics = {
    counter: (name, help, labels = []) => new Counter(optionsOf('counter', name, help, labels)),
    gauge: (name, help, labels = []) => new Gauge(optionsOf('gauge', name, help, labels)),
    histogram: (name, help, labels = []) =>
      new Histogram({ ...optionsOf('histogram', name, help, labels), buckets: SECONDS }),
    beforePage: (probe) => void probes.push(probe),
    described: () => [...described],
    page() {
      page ??= makePage().finally(() => {
        page = undefined;
      });
      return page;
    },
  };
  metrics
    .gauge('build_info', 'Always 1; the labels identify the build', ['service', 'version'])
    .set({ service, version }, 1);
  return metrics;
}

/**
 * Starts a counter at 0 for each of these values: Prometheus misses the first increment of a counter that appears with 1.
 * https://prometheus.io/docs/practices/instrumentation/#avoid-missing-metrics
 */
export function startAtZero<Label extends string>(
  counter: Counter<Label>,
  label: NoInfer<Label>,
  values: readonly string[],
  others: Partial<Record<NoInfer<Label>, string>> = {},
): void {
  for (const value of values) counter.inc({ ...others, [label]: value } as Record<Label, string>, 0);
}
