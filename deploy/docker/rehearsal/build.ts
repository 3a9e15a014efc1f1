import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { digestOf } from './context.ts';
import { expand, type Instruction, readDockerfile, readPairs, type Stage } from './dockerfile.ts';

/** A built image: a root file system, and how to start the container in it. */
export interface Image {
  root: string;
  env: Record<string, string>;
  workdir: string;
  /** Instructions that only describe: EXPOSE, USER, LABEL, HEALTHCHECK, ENTRYPOINT, as written. */
  metadata: Record<string, string>;
}

/** The folders that building uses. */
export interface Workshop {
  folder: string;
  context: string;
  bases: { debian: string; node: string };
}

type Variables = Record<string, string>;

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
// If this machine reaches registries through a proxy with its own authority, processes in a root need that authority
// too.
const authorities = process.env.NODE_EXTRA_CA_CERTS;
const trust = authorities === undefined ? '' : 'NODE_EXTRA_CA_CERTS=/run/authorities.pem';
const METADATA = ['EXPOSE', 'USER', 'LABEL', 'HEALTHCHECK', 'ENTRYPOINT'];
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** Runs a shell script as root with its own mounts, which end with it. Throws if it fails. */
function runScript(lines: string[]): void {
  const script = ['set -eu', ...lines].join('\n');
  const { status } = spawnSync(
    'unshare',
    ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', script],
    {
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  if (status !== 0) throw new Error(`ended with ${status}:\n${script}`);
}

/** Builds images as BuildKit does: only the needed stages, each once per set of inputs. */
export class Builder {
  readonly #workshop: Workshop;

  constructor(workshop: Workshop) {
    this.#workshop = workshop;
  }

  /** The last stage of a Dockerfile, with these build arguments. */
  build(dockerfile: string, args: Variables): Image {
    const { defaults, stages } = readDockerfile(dockerfile);
    const last = stages.at(-1);
    if (last === undefined) throw new Error('a Dockerfile without a stage');
    return this.#stage(last, stages, { ...defaults, ...args });
  }

  #stage(stage: Stage, stages: Stage[], args: Variables): Image {
    const from = expand(stage.from, args);
    const base = this.#named(from, stages, args);
    const image: Image = {
      root: '',
      env: { ...base.env },
      workdir: base.workdir,
      metadata: { ...base.metadata },
    };
    const declared: Variables = {};
    const steps: { text: string; run(root: string): void }[] = [];
    for (const instruction of stage.instructions) {
      const variables = { ...declared, ...image.env };
      const { keyword, rest } = instruction;
      if (keyword === 'ARG')
        for (const [name, value] of Object.entries(readPairs(rest))) declared[name] = args[name] ?? value;
      else if (keyword === 'ENV') Object.assign(image.env, readPairs(expand(rest, variables)));
      else if (keyword === 'WORKDIR') image.workdir = expand(rest, variables);
      else if (METADATA.includes(keyword))
        image.metadata[keyword] = keyword === 'LABEL' ? expand(rest, variables) : rest;
      else if (keyword === 'COPY') steps.push(this.#copy(instruction, image.workdir, stages, args));
      else if (keyword === 'RUN') steps.push(this.#run(instruction, image.workdir, variables));
      else throw new Error(`${keyword} is not supported by the rehearsal`);
    }
    const key = createHash('sha256')
      .update([base.root, ...steps.map(({ text }) => text)].join('\n'))
      .digest('hex');
    image.root = join(this.#workshop.folder, 'stages', `${stage.name}-${key.slice(0, 16)}`);
    if (existsSync(image.root)) return image;
    console.log(`${stage.name} (from ${from})`);
    const draft = `${image.root}.new`;
    rmSync(draft, { recursive: true, force: true });
    mkdirSync(join(this.#workshop.folder, 'stages'), { recursive: true });
    runScript([`cp -a ${quoted(base.root)} ${quoted(draft)}`]);
    for (const step of steps) step.run(draft);
    renameSync(draft, image.root);
    return image;
  }

  /** A stage of that name, or the replacement of an image. */
  #named(name: string, stages: Stage[], args: Variables): Image {
    const stage = stages.find((candidate) => candidate.name === name);
    if (stage !== undefined) return this.#stage(stage, stages, args);
    const { debian, node } = this.#workshop.bases;
    if (!/^(node|debian):.*trixie-slim(@|$)/.test(name))
      throw new Error(`the image ${name} has no replacement`);
    return { root: name.startsWith('node:') ? node : debian, env: { PATH }, workdir: '/', metadata: {} };
  }

  #copy(instruction: Instruction, workdir: string, stages: Stage[], args: Variables) {
    const from = instruction.flags.find(([name]) => name === 'from')?.[1];
    const source = from === undefined ? this.#workshop.context : this.#named(from, stages, args).root;
    const paths = instruction.rest.split(/\s+/);
    const target = paths.pop() ?? '';
    const sources = paths.map((path) => join(source, path));
    const digests = sources.map(digestOf);
    return {
      text: `COPY ${digests.join(' ')} ${workdir} ${target}`,
      run(root: string) {
        const to = join(root, isAbsolute(target) ? '' : workdir, target);
        for (const path of sources) {
          // A folder contributes its content; a file goes into a folder under its own name.
          const what = statSync(path).isDirectory() ? `${path}/.` : path;
          const into = what !== path || target.endsWith('/') ? to : join(to, '..');
          runScript([
            `mkdir -p ${quoted(into)}`,
            `cp -a --no-preserve=ownership ${quoted(what)} ${quoted(to)}`,
          ]);
        }
      },
    };
  }

  #run({ flags, rest }: Instruction, workdir: string, variables: Variables) {
    const { context, folder } = this.#workshop;
    const mounts = flags.map(([, text]) => readPairs(text.replaceAll(',', ' ')));
    const digests = mounts.map(({ type, source = '' }) =>
      type === 'bind' ? digestOf(join(context, source)) : '',
    );
    const environment = Object.entries({ HOME: '/root', ...variables }).map(([name, value]) =>
      quoted(`${name}=${value}`),
    );
    return {
      text: `RUN ${environment.join(' ')} ${workdir} ${digests.join(' ')} ${rest}`,
      run(root: string) {
        const at = (path: string) => quoted(join(root, path));
        const made: string[] = [];
        const lines = mounts.flatMap(({ type, source = '', target = '' }) => {
          const cache = join(folder, 'caches', target.replaceAll('/', '_'));
          if (type !== 'bind') mkdirSync(cache, { recursive: true });
          if (!existsSync(join(root, target))) made.push(`rmdir -p --ignore-fail-on-non-empty ${at(target)}`);
          const bind = `mount --bind ${quoted(type === 'bind' ? join(context, source) : cache)} ${at(target)}`;
          const isReadOnly = type === 'bind' ? [`mount -o remount,bind,ro ${at(target)}`] : [];
          return [`mkdir -p ${at(target)}`, bind, ...isReadOnly];
        });
        const command = `mkdir -p ${workdir} && cd ${workdir} && exec /bin/sh -c ${quoted(rest)}`;
        runScript([
          ...lines,
          `mount -t proc proc ${at('proc')}`,
          `mount --rbind /dev ${at('dev')}`,
          `touch ${at('etc/resolv.conf')}`,
          `mount --bind /etc/resolv.conf ${at('etc/resolv.conf')}`,
          ...(authorities === undefined ? [] : [`cat ${quoted(authorities)} >${at('run/authorities.pem')}`]),
          `exec chroot ${at('')} /usr/bin/env -i ${environment.join(' ')} ${trust} /bin/sh -c ${quoted(command)}`,
        ]);
        runScript([`rm -f ${at('run/authorities.pem')}`, ...made]);
      },
    };
  }
}
