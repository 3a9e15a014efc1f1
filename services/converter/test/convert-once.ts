/**
 * convert-once.ts SANDBOX WORK_ROOT DOCX
 *
 * Starts the engines of this host, converts the document with each, and writes one line of JSON: an `Outcome`.
 */
import { readFileSync } from 'node:fs';
import { createEngines, sandboxOf } from '../src/engines.ts';
import type { Sandbox, SandboxDemand } from '../src/sandbox.ts';

export type Outcome =
  | { error: string; unavailable: string[] }
  | { sandbox: string; engines: { name: string; walls: Sandbox['walls']; pdf: string }[] };

const [sandbox = '', workRoot = '', path = ''] = process.argv.slice(2);

async function convertOnce(): Promise<Outcome> {
  const unavailable: string[] = [];
  try {
    const engines = await createEngines({
      slots: 1,
      sandbox: sandbox as SandboxDemand,
      workRoot,
      onEvent: (event) => {
        if (event.type === 'engine-unavailable') unavailable.push(event.reason);
      },
    });
    const run = { timeoutMs: 60_000, signal: new AbortController().signal };
    const results = [];
    for (const engine of engines) {
      const { bytes } = await engine.convert(readFileSync(path), { from: 'docx', to: 'pdf' }, run);
      const walls = engine.health().sandbox?.walls ?? [];
      results.push({ name: engine.name, walls, pdf: bytes.toString('base64') });
    }
    const state = sandboxOf(engines);
    for (const engine of engines) await engine.close();
    return { sandbox: state, engines: results };
  } catch (error) {
    return { error: (error as Error).message, unavailable };
  }
}

process.stdout.write(JSON.stringify(await convertOnce()));
