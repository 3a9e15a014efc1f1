import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { within } from '../health.ts';

const PREFIX = 'scriptorium_';

/** Seconds, from a small template to the usual deadline. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

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
  /** The page, in the text format of Prometheus 0.0.4. */
  page(): Promise<{ contentType: string; text: string }>;
}

/** The metrics of one process: its own and those that every Node process has. */
export function createMetrics(service: string, version: string): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const looks: (() => Promise<void> | void)[] = [];
  const optionsOf = <Label extends string>(name: string, help: string, labels: readonly Label[]) => ({
    name: `${PREFIX}${name}`,
    help,
    labelNames: [...labels],
    registers: [registry],
  });
  const metrics: Metrics = {
    counter: (name, help, labels = []) => new Counter(optionsOf(name, help, labels)),
    gauge: (name, help, labels = []) => new Gauge(optionsOf(name, help, labels)),
    histogram: (name, help, labels = []) =>
      new Histogram({ ...optionsOf(name, help, labels), buckets: SECONDS }),
    beforePage: (look) => void looks.push(look),
    async page() {
      await Promise.allSettled(looks.map((look) => within((async () => look())())));
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
  };
  metrics
    .gauge('build_info', 'Always 1; its labels say what runs', ['service', 'version'])
    .set({ service, version }, 1);
  return metrics;
}
