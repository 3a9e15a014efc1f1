import { setTimeout as delay } from 'node:timers/promises';
import type { DocumentLoader } from '@scriptorium/contracts/jobs/conversion-report';
import { type Engine, EngineError, type EngineListener, UnfitHostError } from './engines/engine.ts';
import { SourceRouter } from './engines/kit/source-router.ts';
import { LibreOfficeConvertEngine } from './engines/libreoffice-convert.ts';
import type { Sandbox, SandboxDemand } from './engines/sandbox.ts';
import { warmUpDocuments } from './engines/warm-up.ts';

export interface EngineSettings {
  /** Concurrent conversions. By default one per core. */
  slots?: number;
  /**
   * Where documents are kept while they are converted. By default in memory, if the host has a file system in memory.
   */
  workRoot?: string;
  /** By default `required`. */
  sandbox?: SandboxDemand;
  /** A folder with more fonts than those of the host. */
  fonts?: string | undefined;
  /** Whether it starts with one slot, and the others follow. */
  startsWithOne?: boolean;
  onEvent?: EngineListener;
}

const RETRY_MS_MIN = 1_000;
const RETRY_MS_MAX = 30_000;

/** In order of preference. To add an engine: one file, one line here. */
const ENGINES: readonly ((settings: EngineSettings) => Engine)[] = [
  ({ slots, ...rest }) => new SourceRouter({ ...rest, ...(slots === undefined ? {} : { zygotes: slots }) }),
  (settings) => new LibreOfficeConvertEngine(settings),
];

/**
 * Starts the first engine that this host can run. If a machine lacks something for a time, such as memory, the same engine is
 * tried again until it starts.
 *
 * If the host can run none, rejects with the `UnfitHostError` of the first.
 */
export async function createEngines(settings: EngineSettings = {}): Promise<Engine[]> {
  const failures: UnfitHostError[] = [];
  for (const make of ENGINES) {
    const started = await startedEngine(make, settings);
    if (!(started instanceof UnfitHostError)) return [started];
    failures.push(started);
  }
  throw failures[0];
}

async function startedEngine(
  make: (settings: EngineSettings) => Engine,
  settings: EngineSettings,
): Promise<Engine | UnfitHostError> {
  for (let delayMs = RETRY_MS_MIN; ; delayMs = Math.min(2 * delayMs, RETRY_MS_MAX)) {
    const engine = make(settings);
    try {
      await engine.start();
      // Where it converts nothing, such as behind the walls of the image, it would refuse right documents.
      if (make !== ENGINES[0]) await testOrClose(engine);
      return engine;
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      settings.onEvent?.({ type: 'engine-unavailable', engine: engine.name, reason: error.message });
      if (error instanceof UnfitHostError) return error;
    }
    await delay(delayMs);
  }
}

/** The weakest sandbox of the engines; `degraded` until all of them have reported theirs. */
export function sandboxOf(engines: readonly Engine[]): Sandbox['state'] {
  return engines.every((engine) => engine.health().sandbox?.state === 'enforced') ? 'enforced' : 'degraded';
}

/** How the preferred engine loads documents; undefined if it has only one way. */
export function loaderOf([preferred]: readonly Engine[]): DocumentLoader | undefined {
  return preferred?.health().loader;
}

export const isAnyReady = (engines: readonly Engine[]): boolean =>
  engines.some((engine) => engine.health().ready);

/** Throws if no engine accepts documents. */
export function requireEngine(engines: readonly Engine[]): void {
  if (!isAnyReady(engines)) throw new EngineError('unavailable', 'no engine is ready');
}

async function testOrClose(engine: Engine): Promise<void> {
  try {
    await testEngine([engine]);
  } catch (error) {
    await engine.close();
    throw error;
  }
}

const TEST_MS_MAX = 20_000;

/** Converts a document of one page. Throws if the preferred engine cannot. */
export async function testEngine([preferred]: readonly Engine[]): Promise<void> {
  const [document] = warmUpDocuments();
  if (preferred === undefined || document === undefined)
    throw new EngineError('unavailable', 'no engine exists');
  const run = { timeoutMs: TEST_MS_MAX, signal: new AbortController().signal, isProbe: true };
  await preferred.convert(document, { from: 'docx', to: 'pdf' }, run);
}
