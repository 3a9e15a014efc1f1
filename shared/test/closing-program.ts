import { setTimeout as sleep } from 'node:timers/promises';
import { closeOnSignal, start } from '../src/lifecycle.ts';
import { createLogger } from '../src/logger.ts';

/** A service that takes a second to close. The arguments `slow start`, `bad start`, `fault` and `crash` change its behavior. */
const [, , what] = process.argv;

await start('closing', async () => {
  const logger = createLogger('closing', 'info');
  process.stdout.write('starting\n');
  if (what === 'slow start') await sleep(60_000);
  if (what === 'bad start') throw new Error('the threads end', { cause: new Error('too little memory') });
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
  // What a caller sent, as it lies in the memory of a service.
  const document = Buffer.alloc(100_000, 'a document of a caller, ');
  if (what === 'crash') process.kill(process.pid, 'SIGSEGV');
  // The timer stands for a listening server.
  setInterval(() => undefined, 1_000);
  closeOnSignal(logger, [fault, work], 60_000);
  process.stdout.write(`ready\n${document.length}\n`);
});
