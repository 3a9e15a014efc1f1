const NAMESPACE = 'namespace=~"$namespace"';
const CHOSEN = `${NAMESPACE},instance=~"$instance"`;

/** Labels after those of the variables; `more` is more matchers, such as `code="x"`. */
const matched = (matchers: string, more: string): string =>
  `{${more === '' ? matchers : `${matchers},${more}`}}`;

/** A metric of the processes that were chosen. */
export const of = (metric: string, more = ''): string => `scriptorium_${metric}${matched(CHOSEN, more)}`;

/** What every gateway tells the same of a queue: the greatest, not the sum, and whichever instance was chosen. */
export const ofQueues = (metric: string, labels: string, more = ''): string =>
  `max by (${labels}) (scriptorium_${metric}${matched(NAMESPACE, more)})`;

/** How often a second, by these labels. */
export const perSecond = (metric: string, labels: string, more = ''): string =>
  `sum by (${labels}) (rate(${of(metric, more)}[$__rate_interval]))`;

/** How many in five minutes, by these labels: for what is rare. */
export const inFiveMinutes = (metric: string, labels: string, more = ''): string =>
  `sum by (${labels}) (increase(${of(metric, more)}[5m]))`;

/** What this share of a histogram is below, by these labels. */
export const quantile = (share: number, metric: string, labels: string, more = ''): string =>
  `histogram_quantile(${share}, sum by (${labels}, le) (rate(${of(`${metric}_bucket`, more)}[$__rate_interval])))`;

/** A metric of Node's own, for our processes alone and with the name of their service. */
export const ofNode = (expression: (matchers: string) => string): string =>
  `${expression(`{${CHOSEN}}`)} * on (job, instance) group_left (service) ${of('build_info')}`;
