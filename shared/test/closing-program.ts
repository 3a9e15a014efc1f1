import { setTimeout as sleep } from 'node:timers/promises';
import { closeOnSignal, start } from '../src/lifecycle.ts';
import { createLogger } from '../src/logger.ts';

/** A service whose work takes a second to end. `slow start` and `fault` are what else may happen. */
const [, , what] = process.argv;

await start(async () => {
  const logger = createLogger('closing', 'info');
  process.stdout.write('starting\n');
  if (what === 'slow start') await sleep(60_000);
  const work = {
    async close() {
      await sleep(1_000);
      process.stdout.write('work is done\n');
    },
  };
  const fault = {
    async close() {
      if (what === 'fault') void Promise.reject(new Error('escaped'));
    },
  };
  // What a service listens by.
  setInterval(() => undefined, 1_000);
  closeOnSignal(logger, [fault, work], 60_000);
  process.stdout.write('ready\n');
});
