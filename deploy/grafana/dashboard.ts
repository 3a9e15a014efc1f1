import { dashboardOf } from './panels.ts';
import { glance, traffic } from './traffic-rows.ts';
import { accounts, processes, telemetry } from './upkeep-rows.ts';
import { annotator, converter, queues, signer, verifier } from './worker-rows.ts';

/** `dashboard.json`, made by `npm run docs`. A panel more: an entry in its row. */
export function dashboard(): string {
  const rows = [
    glance,
    traffic,
    queues,
    converter,
    annotator,
    signer,
    verifier,
    accounts,
    telemetry,
    processes,
  ];
  return `${JSON.stringify(dashboardOf(rows), null, 2)}\n`;
}
