const NAMESPACE = 'namespace=~"$namespace"';
const CHOSEN = `${NAMESPACE},instance=~"$instance"`;

/** Labels of the variables, then `more` matchers, such as `code="x"`. */
const matched = (matchers: string, more: string): string =>
  `{${more === '' ? matchers : `${matchers},${more}`}}`;

/** A metric of the selected processes. */
export const of = (metric: string, more = ''): string => `scriptorium_${metric}${matched(CHOSEN, more)}`;

/** Every gateway reports the same value for a queue: the maximum, not the sum, of all instances. */
export const ofQueues = (metric: string, labels: string, more = ''): string =>
  `max by (${labels}) (scriptorium_${metric}${matched(NAMESPACE, more)})`;

/** Rate per second, by these labels. */
export const perSecond = (metric: string, labels: string, more = ''): string =>
  `sum by (${labels}) (rate(${of(metric, more)}[$__rate_interval]))`;

/** Number in five minutes, by these labels: for rare events. */
export const inFiveMinutes = (metric: string, labels: string, more = ''): string =>
  `sum by (${labels}) (increase(${of(metric, more)}[5m]))`;

/** The value below which this share of a histogram lies, by these labels. */
export const quantile = (share: number, metric: string, labels: string, more = ''): string =>
  `histogram_quantile(${share}, sum by (${labels}, le) (rate(${of(`${metric}_bucket`, more)}[$__rate_interval])))`;

/** A metric of Node itself, for our processes only and with the name of their service. */
export const ofNode = (expression: (matchers: string) => string): string =>
  `${expression(`{${CHOSEN}}`)} * on (job, instance) group_left (service) ${of('build_info')}`;
