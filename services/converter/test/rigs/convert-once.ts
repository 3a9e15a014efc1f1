/**
 * convert-once.ts SANDBOX WORK_ROOT DOCUMENT...
 *
 * Starts the engines of this host, converts the documents with each, and writes one line of JSON: an `Outcome`. The
 * suffix of a file is its format. A folder `fonts` of WORK_ROOT has more fonts. Engines that start LibreOffice for each
 * document convert only the first few.
 */
import { existsSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { EngineSource } from '@scriptorium/sanitizer/sources';
import { UnfitHostError } from '../../src/engines/engine.ts';
import { SourceRouter } from '../../src/engines/kit/source-router.ts';
import { LibreOfficeConvertEngine } from '../../src/engines/libreoffice-convert.ts';
import type { Sandbox, SandboxDemand } from '../../src/engines/sandbox.ts';
import { sandboxOf } from '../../src/engines.ts';

export type Outcome =
  | { error: string; unavailable: string[] }
  | { sandbox: string; engines: { name: string; walls: Sandbox['walls']; pdfs: string[] }[] };

const FEW = 5;

const [sandbox = '', workRoot = '', ...paths] = process.argv.slice(2);

async function convertOnce(): Promise<Outcome> {
  const unavailable: string[] = [];
  const fonts = join(workRoot, 'fonts');
  const settings = { sandbox: sandbox as SandboxDemand, workRoot, ...(existsSync(fonts) && { fonts }) };
  const engines = [
    new SourceRouter({ ...settings, zygotes: 1 }),
    new LibreOfficeConvertEngine({ ...settings, slots: 1 }),
  ];
  try {
    for (const engine of engines)
      await engine.start().catch((error: unknown) => {
        if (error instanceof UnfitHostError) unavailable.push(error.message);
        else throw error;
      });
    if (unavailable[0] !== undefined) throw new Error(unavailable[0]);
    const run = { timeoutMs: 150_000, signal: new AbortController().signal };
    const results = [];
    for (const [at, engine] of engines.entries()) {
      const pdfs: string[] = [];
      for (const path of at === 0 ? paths : paths.slice(0, FEW)) {
        const from = extname(path).slice(1) as EngineSource;
        const { bytes } = await engine.convert(readFileSync(path), { from, to: 'pdf' }, run);
        pdfs.push(bytes.toString('base64'));
      }
      const walls = engine.health().sandbox?.walls ?? [];
      results.push({ name: engine.name, walls, pdfs });
    }
    return { sandbox: sandboxOf(engines), engines: results };
  } catch (error) {
    return { error: (error as Error).message, unavailable };
  } finally {
    for (const engine of engines) await engine.close();
  }
}

process.stdout.write(JSON.stringify(await convertOnce()));
