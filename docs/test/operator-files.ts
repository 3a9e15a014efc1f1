import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';

const read = (path: string): Promise<string> => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');

export interface Alert {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: Record<'summary' | 'description' | 'runbook', string>;
}

/** The rules that Prometheus is given. */
export async function readAlerts(): Promise<Alert[]> {
  const { groups } = parse(await read('deploy/grafana/alerts.yaml')) as { groups: { rules: Alert[] }[] };
  return groups.flatMap(({ rules }) => rules);
}

export interface DashboardPanel {
  title: string;
  description?: string;
  type: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: { expr: string; legendFormat: string }[];
}

/** The panels that Grafana is given, without the heads of rows. */
export async function readPanels(): Promise<DashboardPanel[]> {
  const { panels } = JSON.parse(await read('deploy/grafana/dashboard.json')) as { panels: DashboardPanel[] };
  return panels.filter(({ type }) => type !== 'row');
}

/** Anchor → text of each section on an alert in docs/operations/runbook.md. */
export async function readRunbook(): Promise<Map<string, string>> {
  const sections = (await read('docs/operations/runbook.md')).split('\n### ').slice(1);
  return new Map(
    sections.map((section) => {
      const [title = '', ...text] = section.split('\n## ')[0]?.split('\n') ?? [];
      return [title, text.join('\n').trim()] as const;
    }),
  );
}
