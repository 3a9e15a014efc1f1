import { createRequire, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { NativeEnvironment } from './environment.ts';

/**
 * Jest's `runtime`: Node itself loads the tests and the sources, with their types stripped. Jest's own runtime has a context
 * for each file of tests, which reads all sources and packages anew: half of the time of most files.
 *
 * A worker keeps the modules of the product from one file of tests to the next, as a service does between requests. Files of
 * tests and their helpers are loaded anew, since helpers may share a server among the suites of a file.
 */

const GLOBALS = new URL('./globals.ts', import.meta.url).href;
/** A file of tests, or a helper beside it. */
const OF_TESTS = /\/(?:test|e2e)\/(?!.*\/node_modules\/).*\.ts$/;
/** Follows a URL, whose end then still shows the language. */
const MARK = /\?\d+\.ts$/;
/** The framework keeps it at the global object. */
const HANDLERS = Symbol.for('EVENT_HANDLERS');

const require = createRequire(import.meta.url);

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === '@jest/globals')
      return { url: GLOBALS, format: 'module-typescript', shortCircuit: true };
    const resolved = next(specifier, context);
    const [mark] = MARK.exec(context.parentURL ?? '') ?? [];
    return mark !== undefined && OF_TESTS.test(resolved.url)
      ? { ...resolved, url: resolved.url + mark }
      : resolved;
  },
});

let files = 0;

class NativeRuntime {
  readonly #environment: NativeEnvironment;

  constructor(_config: unknown, environment: NativeEnvironment) {
    this.#environment = environment;
  }

  /** Loads the framework anew: its state belongs to one file. */
  requireInternalModule(path: string): unknown {
    Reflect.deleteProperty(globalThis, HANDLERS);
    delete require.cache[path];
    return require(path);
  }

  requireModule(path: string): unknown {
    return require(path);
  }

  setGlobalsForRuntime(globals: Record<string, unknown>): void {
    globalThis.jestGlobals = { ...globals, jest: this.#environment.jest };
  }

  unstable_shouldLoadAsEsm(): boolean {
    return true;
  }

  async unstable_importModule(path: string): Promise<void> {
    await import(`${pathToFileURL(path).href}?${++files}.ts`);
  }

  getSourceMaps(): Map<string, string> {
    return new Map();
  }

  getAllCoverageInfoCopy(): undefined {}
  enterTestCode(): void {}
  leaveTestCode(): void {}
  teardown(): void {}
}

// Jest requires this module.
export { NativeRuntime as 'module.exports' };
