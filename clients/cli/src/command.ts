import { readFile } from 'node:fs/promises';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import type { Option as ServiceOption } from '@scriptorium/client/options';
import { CliError } from './cli-error.ts';
import { type Connection, connect } from './connection.ts';
import type { Io } from './io.ts';

interface Option {
  type: 'string' | 'boolean';
  short?: string;
  multiple?: boolean;
  help: string;
  /** What the value of a `string` is. */
  value?: string;
}

/** One command of the program. */
export interface Command {
  name: string;
  /** The arguments, as a user writes them. */
  synopsis: string;
  summary: string;
  /** Number of arguments. */
  arguments: readonly [min: number, max: number];
  options: Record<string, Option>;
  /** Returns the exit code. */
  run(call: Call): Promise<number>;
}

/** How a user called a command. */
export class Call {
  readonly io: Io;
  readonly arguments: readonly string[];
  readonly isJson: boolean;
  readonly #values: Record<string, string | boolean | (string | boolean)[] | undefined>;
  #connection: Promise<Connection> | undefined;

  constructor(io: Io, parsed: ReturnType<typeof parseArgs>) {
    this.io = io;
    this.arguments = parsed.positionals;
    this.#values = parsed.values;
    this.isJson = this.flag('json');
  }

  text(name: string): string | undefined {
    const value = this.#values[name];
    return typeof value === 'string' ? value : undefined;
  }

  texts(name: string): string[] {
    const value = this.#values[name];
    return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
  }

  flag(name: string): boolean {
    return this.#values[name] === true;
  }

  /** The options of the service that were given. */
  given(options: readonly ServiceOption[]): Record<string, string | number | boolean> {
    const entries = options.map((option) => [option.name, this.#valueOf(option)]);
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  }

  #valueOf(option: ServiceOption): string | number | boolean | undefined {
    const flag = flagOf(option);
    if (option.type === 'switch') return this.flag(flag) ? option.default !== true : undefined;
    const text = this.text(flag);
    // The service says what is wrong with a text that is not a number.
    return option.type === 'number' ? Number(text) || text : text;
  }

  connection(): Promise<Connection> {
    this.#connection ??= connect(this.io);
    return this.#connection;
  }
}

/** `strictFonts` as `strict-fonts`, and `tagged`, which is on by default, as `no-tagged`. */
const flagOf = ({ name, default: byDefault }: ServiceOption): string =>
  `${byDefault === true ? 'no-' : ''}${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

const VALUE_CHARS_MAX = 24;

/** Returns options of the service as those of a command. */
export function serviceOptions(options: readonly ServiceOption[]): Record<string, Option> {
  const entries = options.map((option): [string, Option] => {
    const { type, choices = [] } = option;
    const help = option.help.replaceAll('`', '');
    if (type === 'switch') return [flagOf(option), { type: 'boolean', help }];
    const value = choices.join('|');
    if (type === 'choice' && value.length > VALUE_CHARS_MAX)
      return [
        flagOf(option),
        { type: 'string', value: 'NAME', help: `${help}. One of ${choices.join(', ')}` },
      ];
    return [flagOf(option), { type: 'string', value: value || type.toUpperCase(), help }];
  });
  return Object.fromEntries(entries);
}

export const JSON_OPTION: Record<string, Option> = {
  json: { type: 'boolean', help: 'Print the result as one line of JSON, and errors as JSON, too' },
};

export const OUTPUT_OPTION: Record<string, Option> = {
  output: {
    type: 'string',
    short: 'o',
    value: 'PATH',
    help: 'A file, a folder, or - for standard output. The ending of a name chooses the format',
  },
};

/** Reads the arguments of a command. Throws USAGE. */
export function callOf(io: Io, command: Command, args: readonly string[]): Call {
  const options: ParseArgsConfig['options'] = {};
  for (const [name, { type, short, multiple = false }] of Object.entries(command.options))
    options[name] = { type, multiple, ...(short !== undefined && { short }) };
  try {
    const call = new Call(io, parseArgs({ args: [...args], options, allowPositionals: true }));
    const [min, max] = command.arguments;
    const count = call.arguments.length;
    if (count >= min && count <= max) return call;
  } catch (error) {
    throw new CliError('USAGE', `${(error as Error).message}\n${usageOf(command)}`);
  }
  throw new CliError('USAGE', usageOf(command));
}

const usageOf = ({ name, synopsis }: Command): string => `usage: scriptorium ${name} ${synopsis}`.trimEnd();

/** Returns the help of a command. */
export function helpOf(command: Command): string {
  const options = Object.entries(command.options).map(([name, { short, value, help }]): [string, string] => [
    `  ${short === undefined ? '    ' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`,
    help,
  ]);
  const width = Math.max(...options.map(([left]) => left.length));
  const lines = options.map(([left, help]) => `${left.padEnd(width)}  ${wrapped(help, width + 2)}`);
  return [usageOf(command), '', command.summary, '', ...lines, ''].join('\n');
}

const LINE_CHARS_MAX = 120;

/** Breaks a text into lines that begin after `indent` spaces. */
function wrapped(text: string, indent: number): string {
  const line = new RegExp(`(.{1,${LINE_CHARS_MAX - indent}})(?: |$)`, 'g');
  return text.replace(line, (_, words: string) => `${words}\n${' '.repeat(indent)}`).trimEnd();
}

/** Returns the version of this package. */
export async function versionOf(): Promise<string> {
  const manifest = await readFile(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
