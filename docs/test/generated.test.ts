import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { testInWhole } from '@scriptorium/testing/extent';
import { generatedFiles } from '../generated.ts';
import { readAlerts, readPanels, readRunbook } from './operator-files.ts';

testInWhole('every generated document is as the code now makes it', async () => {
  const files = await generatedFiles();
  expect(files.size).toBeGreaterThan(2);
  for (const [path, text] of files) {
    const onDisk = await readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
    expect({ path, isFresh: onDisk === text }).toEqual({ path, isFresh: true });
  }
});

test('every alert has its section in docs/operations/runbook.md, which it names, and no section is without an alert', async () => {
  const [alerts, runbook] = [await readAlerts(), await readRunbook()];
  expect(alerts.map(({ alert }) => alert).sort()).toEqual([...runbook.keys()].sort());
  for (const { alert, annotations, labels } of alerts) {
    expect(annotations.runbook).toBe(`docs/operations/runbook.md#${alert.toLowerCase()}`);
    expect(runbook.get(alert)?.length).toBeGreaterThan(100);
    expect(annotations.summary.length * annotations.description.length).toBeGreaterThan(0);
    expect(['critical', 'warning']).toContain(labels.severity);
  }
});

test('every panel of the dashboard says what to do, and has a place of its own', async () => {
  const taken = new Set<string>();
  for (const { title, description = '', gridPos } of await readPanels()) {
    expect({ title, isLong: description.length > 30 }).toEqual({ title, isLong: true });
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        const place = `${x} ${y}`;
        expect({ title, place, isFree: !taken.has(place) && x < 24 }).toEqual({ title, place, isFree: true });
        taken.add(place);
      }
  }
});
