import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { docxWith } from '@scriptorium/testing/fixtures/docx';
import type { EngineEvent } from '../../src/engines/engine.ts';
import { createEngines } from '../../src/engines.ts';
import { textOf } from '../rigs/pdf-text.ts';
import { run } from './engine.suite.ts';

test('an engine that does not start for a time is tried again, and no other one takes its place', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'create-engines-'));
  const workRoot = join(folder, 'later');
  const events: EngineEvent[] = [];
  const { promise: failed, resolve } = Promise.withResolvers<void>();
  const starting = createEngines({
    slots: 1,
    workRoot,
    onEvent(event) {
      events.push(event);
      if (event.type === 'engine-unavailable') resolve();
    },
  });
  await failed;
  mkdirSync(workRoot);
  const [engine, ...others] = await starting;
  try {
    expect([engine?.name, others]).toEqual(['libreofficekit', []]);
    expect(events.map(({ type }) => type)).toEqual([
      ...events.slice(0, -1).map(() => 'engine-unavailable'),
      'engine-started',
    ]);
    if (engine) expect(textOf((await run(engine, docxWith(['text']))).bytes)).toBe('text');
  } finally {
    await engine?.close();
    rmSync(folder, { recursive: true });
  }
});
