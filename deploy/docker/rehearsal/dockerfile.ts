/** One instruction of a Dockerfile: `RUN --mount=type=cache,target=/x make all`. */
export interface Instruction {
  keyword: string;
  /** `['mount', 'type=cache,target=/x']`, in order. */
  flags: [string, string][];
  /** The text after the flags, as written. */
  rest: string;
}

export interface Stage {
  name: string;
  /** The text after FROM: another stage or an image, with its variables. */
  from: string;
  instructions: Instruction[];
}

function readInstruction(line: string): Instruction {
  const [, keyword = '', text = ''] = /^(\w+)\s+(.*)$/s.exec(line) ?? [];
  const flags: [string, string][] = [];
  let rest = text;
  for (let flag = /^--([\w-]+)=(\S+)\s+/.exec(rest); flag; flag = /^--([\w-]+)=(\S+)\s+/.exec(rest)) {
    flags.push([flag[1] ?? '', flag[2] ?? '']);
    rest = rest.slice(flag[0].length);
  }
  return { keyword: keyword.toUpperCase(), flags, rest };
}

/**
 * The stages of a Dockerfile, and the arguments before the first one with defaults. No heredocs or other escape
 * characters.
 */
export function readDockerfile(text: string): { defaults: Record<string, string>; stages: Stage[] } {
  const lines = text.split('\n').filter((line) => !/^\s*(#|$)/.test(line));
  const instructions = lines
    .join('\n')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .map(readInstruction);
  const defaults: Record<string, string> = {};
  const stages: Stage[] = [];
  for (const instruction of instructions) {
    const stage = stages.at(-1);
    if (instruction.keyword === 'FROM') {
      const [from = '', , name = `${stages.length}`] = instruction.rest.split(/\s+/);
      stages.push({ name, from, instructions: [] });
    } else if (stage !== undefined) stage.instructions.push(instruction);
    else Object.assign(defaults, readPairs(instruction.rest));
  }
  return { defaults, stages };
}

/** `A=1 B="two words"`; a name alone has an empty value. */
export function readPairs(text: string): Record<string, string> {
  const pairs = [...text.matchAll(/([\w.]+)(?:=("[^"]*"|\S*))?/g)];
  return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, value.replaceAll('"', '')]));
}

/** Replaces `$A` and `${A}` with their values; throws if one is unknown. */
export function expand(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\{?(\w+)\}?/g, (_, name: string) => {
    const value = variables[name];
    if (value === undefined) throw new Error(`${name} is not set in: ${text}`);
    return value;
  });
}
