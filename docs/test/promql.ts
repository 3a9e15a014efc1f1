import { parser } from '@prometheus-io/lezer-promql';
import { ERRORS } from '@scriptorium/contracts/errors';
import type { Page } from '@scriptorium/testing/prometheus-text';

/** What an expression asks for. */
export interface Query {
  /** Where it cannot be read, by offset. */
  mistakes: string[];
  selectors: { metric: string; matchers: { label: string; operator: string; value: string }[] }[];
  /** Labels that it groups or joins by. */
  groupings: string[];
}

/** Reads a PromQL expression; what Grafana puts in for its variables must be in it already. */
export function readQuery(expression: string): Query {
  const query: Query = { mistakes: [], selectors: [], groupings: [] };
  let label = '';
  let operator = '';
  parser.parse(expression).iterate({
    enter({ type, from, to, node }) {
      const text = expression.slice(from, to);
      if (type.isError) query.mistakes.push(`at ${from} of ${expression}`);
      if (type.name === 'VectorSelector') query.selectors.push({ metric: '', matchers: [] });
      const selector = query.selectors.at(-1);
      if (type.name === 'Identifier' && selector !== undefined) selector.metric = text;
      if (type.name === 'LabelName') {
        if (node.parent?.name === 'GroupingLabels') query.groupings.push(text);
        label = text;
      }
      if (type.name === 'MatchOp') operator = text;
      if (type.name === 'StringLiteral' && node.parent?.name === 'UnquotedLabelMatcher')
        selector?.matchers.push({ label, operator, value: text.slice(1, -1) });
    },
  });
  return query;
}

/** The scraper adds them to every series. */
const TARGET_LABELS = ['namespace', 'job', 'instance'];
/** Values that come up when something goes wrong, and that the pages of a healthy service need not have. */
const VALUES_ELSEWHERE: Record<string, (value: string) => boolean> = {
  status: (value) => /^[1-5](\d\d|\.\.)$/.test(value),
  code: (value) => Object.hasOwn(ERRORS, value),
};

/**
 * What is wrong with an expression of the dashboard or of an alert. It cannot be read, or asks for a metric, a label or a label's
 * value that none of the pages has. `mentioned` are labels that its legend or its texts name.
 */
export function mistakesIn(
  expression: string,
  pages: readonly Page[],
  mentioned: readonly string[] = [],
): string[] {
  const query = readQuery(withVariables(expression));
  const known = new Set(TARGET_LABELS);
  const mistakes = [...query.mistakes];
  if (query.selectors.length === 0) mistakes.push(`no metric in ${expression}`);
  const samples = pages.flatMap((page) => [...page.values()].flatMap((family) => family.samples));
  for (const { metric, matchers } of query.selectors) {
    if (metric === 'up') continue;
    const own = samples.filter(({ name }) => name === metric);
    if (own.length === 0) mistakes.push(`nobody counts ${metric}`);
    for (const { labels } of own) for (const label of Object.keys(labels)) known.add(label);
    for (const { label, value } of matchers.filter((matcher) => !TARGET_LABELS.includes(matcher.label))) {
      // A queue in which nothing failed is a queue all the same.
      const values = (label === 'queue' ? samples : own).flatMap(({ labels }) => labels[label] ?? []);
      const isKnown = (part: string): boolean =>
        VALUES_ELSEWHERE[label]?.(part) ?? values.some((one) => new RegExp(`^(?:${part})$`).test(one));
      const unknown = value.split('|').filter((part) => !isKnown(part));
      for (const part of unknown) mistakes.push(`${metric} has no ${label} like ${part}`);
    }
  }
  const unknown = [...query.groupings, ...mentioned].filter((label) => !known.has(label));
  return [...mistakes, ...unknown.map((label) => `no label ${label} in ${expression}`)];
}

/** As Grafana puts them in while everything is chosen. */
const withVariables = (expression: string): string =>
  expression.replaceAll('$__rate_interval', '5m').replaceAll(/"\$(namespace|instance)"/g, '".*"');

/** Labels that a legend names. */
export const labelsInLegend = (legend: string): string[] =>
  [...legend.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map(([, label = '']) => label);

/** Labels that the texts of an alert name. */
export const labelsInTexts = (texts: Record<string, string>): string[] =>
  Object.values(texts).flatMap((text) =>
    [...text.matchAll(/\$labels\.(\w+)/g)].map(([, label = '']) => label),
  );
