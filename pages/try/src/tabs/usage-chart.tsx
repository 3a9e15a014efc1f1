import type { Usage } from '@scriptorium/client';
import { counted } from '../words.ts';
import { shownDays } from './usage-state.ts';

const WIDTH = 600;
const HEIGHT = 180;
const GAP = 4;
/** As many as the style sheet has colors. */
const COLORS = 7;

/** Operations by day, as stacked bars, and the same as a table. */
export function UsageChart({ usage }: { usage: Usage }) {
  const days = shownDays();
  const groups = [...new Set(usage.periods.map(({ group = 'all' }) => group))].sort();
  const countOf = (day: string, name: string): number =>
    usage.periods
      .filter(({ start, group = 'all' }) => start === day && group === name)
      .reduce((sum, { opens }) => sum + opens, 0);
  const totals = days.map((day) => groups.reduce((sum, name) => sum + countOf(day, name), 0));
  const highest = Math.max(1, ...totals);
  const step = WIDTH / days.length;
  return (
    <section class="card" aria-label="Operations by day">
      <h2>{counted(usage.totals.opens, 'operation')} in 30 days</h2>
      <svg
        class="chart"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={`Most on one day: ${highest}`}
      >
        {days.map((day, at) => {
          let top = HEIGHT;
          return groups.map((name, color) => {
            const height = (countOf(day, name) / highest) * (HEIGHT - 1);
            top -= height;
            return (
              <rect
                key={`${day} ${name}`}
                class={`color-${color % COLORS}`}
                x={at * step + GAP / 2}
                y={top}
                width={step - GAP}
                height={height}
              >
                <title>{`${day}: ${name} ${countOf(day, name)}`}</title>
              </rect>
            );
          });
        })}
        <line x1={0} x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} />
      </svg>
      <p class="axis">
        <span>{days[0]}</span>
        <span>today</span>
      </p>
      <ul class="legend">
        {groups.map((name, color) => (
          <li key={name}>
            <span class={`color-${color % COLORS}`} aria-hidden="true" /> {name}
          </li>
        ))}
      </ul>
      <details>
        <summary>As a table</summary>
        <table class="data">
          <thead>
            <tr>
              <th scope="col">Day</th>
              {groups.map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days
              .filter((_, at) => (totals[at] ?? 0) > 0)
              .map((day) => (
                <tr key={day}>
                  <th scope="row">{day}</th>
                  {groups.map((name) => (
                    <td key={name} class="number">
                      {countOf(day, name)}
                    </td>
                  ))}
                </tr>
              ))}
          </tbody>
        </table>
      </details>
    </section>
  );
}
