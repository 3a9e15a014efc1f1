/**
 * The parts of a dashboard that Grafana reads.
 * https://grafana.com/docs/grafana/latest/dashboards/build-dashboards/view-dashboard-json-model/
 */

const COLUMNS = 24;
const DATASOURCE = { type: 'prometheus', uid: '$' + '{datasource}' };

/** Thresholds of a number's color: yellow, red. */
export type Limits = readonly [warning: number, critical: number];

/** A panel before it has a position. */
export interface Panel {
  title: string;
  /** What is shown, and what to do if it looks bad. */
  description: string;
  /** One of Grafana's names for units. */
  unit: string;
  type: 'timeseries' | 'stat';
  /** Legend, in which `{{label}}` is replaced by a label's value → PromQL. */
  queries: Record<string, string>;
  limits: Limits | undefined;
  /** The least maximum of the axis. */
  max: number | undefined;
}

export interface Row {
  title: string;
  panels: readonly Panel[];
}

type PanelOptions = Pick<Panel, 'title' | 'description' | 'unit' | 'queries'> &
  Partial<Pick<Panel, 'limits' | 'max'>>;

/** A panel of lines over time. */
export const lines = ({ limits, max, ...options }: PanelOptions): Panel => ({
  ...options,
  type: 'timeseries',
  limits,
  max,
});

/** A panel of one current number. */
export const number = ({ limits, max, ...options }: PanelOptions): Panel => ({
  ...options,
  type: 'stat',
  limits,
  max,
});

/** Places rows below each other and panels from left to right: three graphs or six numbers per line. */
export function laidOut(rows: readonly Row[]): object[] {
  const placed: object[] = [];
  let top = 0;
  for (const { title, panels } of rows) {
    placed.push({
      id: placed.length + 1,
      type: 'row',
      title,
      collapsed: false,
      gridPos: { x: 0, y: top, w: COLUMNS, h: 1 },
      panels: [],
    });
    top += 1;
    let left = 0;
    for (const panel of panels) {
      const [width, height] = panel.type === 'stat' ? [4, 4] : [8, 8];
      if (left + width > COLUMNS) {
        left = 0;
        top += height;
      }
      placed.push(asJson(panel, placed.length + 1, { x: left, y: top, w: width, h: height }));
      left += width;
      if (panel === panels.at(-1)) top += height;
    }
  }
  return placed;
}

function asJson(
  { title, description, unit, type, queries, limits, max }: Panel,
  id: number,
  gridPos: object,
) {
  const legends = Object.entries(queries);
  return {
    id,
    type,
    title,
    description,
    datasource: DATASOURCE,
    gridPos,
    fieldConfig: {
      defaults: {
        unit,
        min: 0,
        ...(max !== undefined && { max }),
        thresholds: { mode: 'absolute', steps: stepsOf(limits) },
        ...(type === 'timeseries' && {
          custom: { drawStyle: 'line', lineWidth: 1, fillOpacity: 8, showPoints: 'auto', spanNulls: false },
        }),
      },
      overrides: [],
    },
    options: type === 'stat' ? STAT_OPTIONS : LINE_OPTIONS,
    targets: legends.map(([legendFormat, expr], index) => ({
      refId: String.fromCharCode('A'.charCodeAt(0) + index),
      datasource: DATASOURCE,
      editorMode: 'code',
      expr,
      legendFormat,
      range: type !== 'stat',
      instant: type === 'stat',
    })),
  };
}

const STAT_OPTIONS = {
  colorMode: 'value',
  graphMode: 'none',
  textMode: 'auto',
  reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
};
const LINE_OPTIONS = {
  legend: { displayMode: 'list', placement: 'bottom', showLegend: true },
  tooltip: { mode: 'multi', sort: 'desc' },
};

function stepsOf(limits: Limits | undefined): object[] {
  const steps = [{ color: 'green', value: null }];
  if (limits === undefined) return steps;
  return [...steps, { color: 'yellow', value: limits[0] }, { color: 'red', value: limits[1] }];
}

/** A variable for a label's values, initially all of them; a missing label counts as all too. */
function labelVariable(name: string, query: string): object {
  return {
    name,
    label: name,
    type: 'query',
    datasource: DATASOURCE,
    query: { query, refId: name },
    definition: query,
    refresh: 2,
    sort: 1,
    multi: true,
    includeAll: true,
    allValue: '.*',
    current: { selected: true, text: ['All'], value: ['$__all'] },
  };
}

/** The whole dashboard, for Grafana 10 and newer. */
export function dashboardOf(rows: readonly Row[]): object {
  return {
    uid: 'scriptorium',
    title: 'Scriptorium',
    tags: ['scriptorium'],
    editable: true,
    graphTooltip: 1,
    refresh: '30s',
    schemaVersion: 39,
    time: { from: 'now-3h', to: 'now' },
    timezone: '',
    templating: {
      list: [
        { name: 'datasource', label: 'datasource', type: 'datasource', query: 'prometheus', refresh: 1 },
        labelVariable('namespace', 'label_values(scriptorium_build_info, namespace)'),
        labelVariable('instance', 'label_values(scriptorium_build_info{namespace=~"$namespace"}, instance)'),
      ],
    },
    annotations: { list: [] },
    panels: laidOut(rows),
  };
}
