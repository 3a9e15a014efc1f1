import type { Redis } from 'ioredis';

/** A Lua script that runs as one command. `name` must be unique. */
export interface Script {
  name: string;
  lua: string;
}

type Arguments = (string | number | Buffer)[];
type Run = (keyCount: number, ...keysAndArguments: Arguments) => Promise<unknown>;

/** Runs a script. A connection sends its text once, and then only its hash. */
export function runScript(redis: Redis, script: Script, keys: string[], values: Arguments): Promise<unknown> {
  return commandOf(redis, script, script.name)(keys.length, ...keys, ...values);
}

/** The same for a script that returns bytes. */
export function runScriptForBytes(
  redis: Redis,
  script: Script,
  keys: string[],
  values: Arguments,
): Promise<unknown> {
  return commandOf(redis, script, `${script.name}Buffer`)(keys.length, ...keys, ...values);
}

function commandOf(redis: Redis, { name, lua }: Script, variant: string): Run {
  const commands = redis as unknown as Record<string, Run>;
  if (commands[name] === undefined) redis.defineCommand(name, { lua });
  return (commands[variant] as Run).bind(redis);
}
