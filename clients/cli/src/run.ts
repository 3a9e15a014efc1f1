import { CliError, EXIT, faultOf, sayFault } from './cli-error.ts';
import { type Command, callOf, helpOf, versionOf } from './command.ts';
import { keys, usage } from './commands/account.ts';
import { augment } from './commands/augment.ts';
import { convert } from './commands/convert.ts';
import { doctor } from './commands/doctor.ts';
import { fill } from './commands/fill.ts';
import { generate } from './commands/generate.ts';
import { inspect } from './commands/inspect.ts';
import { jobs } from './commands/jobs.ts';
import { lint } from './commands/lint.ts';
import { login } from './commands/login.ts';
import { mcp } from './commands/mcp.ts';
import { merge } from './commands/merge.ts';
import { sign } from './commands/sign.ts';
import { verify } from './commands/verify.ts';
import type { Io } from './io.ts';

const COMMANDS: readonly Command[] = [
  login,
  convert,
  inspect,
  lint,
  fill,
  generate,
  merge,
  sign,
  augment,
  verify,
  jobs,
  usage,
  keys,
  doctor,
  mcp,
];

/** Interrupted by a signal, as shells count it. */
const EXIT_INTERRUPTED = 130;

/** Runs the command that the arguments name. Returns the exit code. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const [name = 'help', ...rest] = args;
  try {
    if (name === '--version' || name === '-v') io.stdout.write(`${await versionOf()}\n`);
    else if (['help', '--help', '-h'].includes(name)) io.stdout.write(helpFor(rest[0]));
    else if (rest.some((argument) => argument === '--help' || argument === '-h'))
      io.stdout.write(helpFor(name));
    else return await runCommand(commandNamed(name), rest, io);
    return EXIT.ok;
  } catch (error) {
    if (io.signal.aborted) return EXIT_INTERRUPTED;
    const fault = faultOf(error);
    sayFault(io, fault, { isJson: rest.includes('--json') });
    return fault.exitCode;
  }
}

const runCommand = (command: Command, args: readonly string[], io: Io): Promise<number> =>
  command.run(callOf(io, command, args));

function commandNamed(name: string): Command {
  const command = COMMANDS.find((one) => one.name === name);
  if (command === undefined) throw new CliError('USAGE', `The command ${name} does not exist.`);
  return command;
}

function helpFor(name: string | undefined): string {
  if (name !== undefined) return helpOf(commandNamed(name));
  const width = Math.max(...COMMANDS.map((command) => command.name.length));
  const lines = COMMANDS.map((command) => {
    const [first = ''] = command.summary.split(/(?<=\.)\s/);
    return `  ${command.name.padEnd(width)}  ${first}`;
  });
  return `${[
    'usage: scriptorium COMMAND …',
    '',
    ...lines,
    '',
    '`scriptorium help COMMAND` describes a command. A file named - is standard input or output.',
    'SCRIPTORIUM_URL and SCRIPTORIUM_API_KEY go before what `login` stored.',
    'Exit codes: 0 done, 1 refused, 2 wrong usage, 3 the service is away or busy, 4 the verdict is not "valid".',
  ].join('\n')}\n`;
}
