import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

type Config = { projectConfig: ConstructorParameters<typeof ModernFakeTimers>[0]['config'] };

/** Jest's `testEnvironment` for the native runtime: the global object of the worker, which is restored after each file of tests. */
class NativeEnvironment {
  readonly global = globalThis;
  readonly moduleMocker = new ModuleMocker(globalThis);
  readonly fakeTimersModern: ModernFakeTimers;
  readonly #env = { ...process.env };
  readonly #console = globalThis.console;
  readonly #exit = process.exit;

  constructor({ projectConfig: config }: Config) {
    this.fakeTimersModern = new ModernFakeTimers({ config, global: globalThis });
  }

  /** What tests import as `jest`. */
  get jest() {
    const timers = this.fakeTimersModern;
    const mocker = this.moduleMocker;
    return {
      spyOn: mocker.spyOn.bind(mocker),
      restoreAllMocks: () => mocker.restoreAllMocks(),
      useFakeTimers: (config: Parameters<typeof timers.useFakeTimers>[0]) => timers.useFakeTimers(config),
      useRealTimers: () => timers.useRealTimers(),
      advanceTimersByTime: (ms: number) => timers.advanceTimersByTime(ms),
      advanceTimersByTimeAsync: (ms: number) => timers.advanceTimersByTimeAsync(ms),
    };
  }

  exportConditions(): string[] {
    return ['source', 'node', 'node-addons'];
  }

  getVmContext(): null {
    return null;
  }

  async setup(): Promise<void> {}

  async teardown(): Promise<void> {
    this.moduleMocker.restoreAllMocks();
    this.fakeTimersModern.dispose();
    for (const name of Object.keys(process.env)) if (!(name in this.#env)) delete process.env[name];
    Object.assign(process.env, this.#env);
    globalThis.console = this.#console;
    process.exit = this.#exit;
  }
}

export type { NativeEnvironment };
// Jest requires this module.
export { NativeEnvironment as 'module.exports' };
