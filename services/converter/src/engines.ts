import { type Engine, EngineError, type EngineListener } from './engine.ts';
import { LibreOfficeConvertEngine } from './engines/libreoffice-convert.ts';
import { SourceRouter } from './engines/source-router.ts';
import type { Sandbox, SandboxDemand } from './sandbox.ts';

export interface EngineSettings {
  /** Conversions at the same time. By default one for each core. */
  slots?: number;
  /** Where documents are kept while they are converted. By default memory, where the host has it. */
  workRoot?: string;
  /** By default `required`. */
  sandbox?: SandboxDemand;
  onEvent?: EngineListener;
}

/** In the order of preference. To add an engine: one file, one line here. */
const ENGINES: readonly ((settings: EngineSettings) => Engine)[] = [
  ({ slots, ...rest }) => new SourceRouter({ ...rest, ...(slots === undefined ? {} : { zygotes: slots }) }),
  (settings) => new LibreOfficeConvertEngine(settings),
];

/**
 * Starts the engines that work on this host, the preferred one first.
 *
 * Rejects with the `unavailable` error of the first where none does.
 */
export async function createEngines(settings: EngineSettings = {}): Promise<Engine[]> {
  const started: Engine[] = [];
  const failures: unknown[] = [];
  for (const make of ENGINES) {
    const engine = make(settings);
    try {
      await engine.start();
      started.push(engine);
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      failures.push(error);
      settings.onEvent?.({ type: 'engine-unavailable', engine: engine.name, reason: error.message });
    }
  }
  if (started.length === 0) throw failures[0];
  return started;
}

/** The weakest of what is around the engines; `degraded` until all of them have told. */
export function sandboxOf(engines: readonly Engine[]): Sandbox['state'] {
  return engines.every((engine) => engine.health().sandbox?.state === 'enforced') ? 'enforced' : 'degraded';
}

export const isAnyReady = (engines: readonly Engine[]): boolean =>
  engines.some((engine) => engine.health().ready);

/** Throws while no engine takes documents. */
export function requireEngine(engines: readonly Engine[]): void {
  if (!isAnyReady(engines)) throw new EngineError('unavailable', 'no engine is ready');
}
