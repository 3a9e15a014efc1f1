import { keysCommand, saidOf } from './auth/keys-command.ts';

try {
  process.stdout.write(await keysCommand(process.argv.slice(2)));
} catch (error) {
  process.stderr.write(saidOf(error));
  process.exitCode = 1;
}
