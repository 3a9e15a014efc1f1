import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { findProgramDir } from '../../../src/engines/installation.ts';
import { LibreOfficeKitEngine } from '../../../src/engines/kit/libreofficekit.ts';
import { Zygote } from '../../../src/engines/kit/zygote.ts';
import { readOutput } from '../../../src/engines/output.ts';

const root = mkdtempSync(join(tmpdir(), 'zygote-words-'));
afterAll(() => rmSync(root, { recursive: true }));

/**
 * Implements the protocol of the engine host (`engine-host/serve.h`). `onRun` and `onKill` are shell commands that know a
 * child's `$id`.
 */
function writeHost({ onRun = ':', onKill }: { onRun?: string; onKill: string }): string {
  const path = join(root, 'host');
  const script = `#!/bin/sh
echo 'ready LibreOffice writer degraded -'
while read -r verb id rest; do
  case $verb in
    spawn) echo "spare $id $$" ;;
    run) ${onRun} ;;
    kill) ${onKill} ;;
  esac
done
`;
  writeFileSync(path, script, { mode: 0o755 });
  return path;
}

const GONE = 'echo "gone $id signal 9 used"';
const never = new AbortController().signal;
const job = {
  input: Buffer.from('x'),
  suffix: 'pdf',
  filter: 'writer_pdf_Export',
  accept: (_: unknown, path: string) => readOutput(path),
};

async function startZygote(hostPath: string): Promise<Zygote> {
  const options = {
    programDir: (await findProgramDir()) ?? '',
    workDir: mkdtempSync(join(root, 'work-')),
    source: 'docx',
    warmUps: [],
    sandbox: 'degraded',
  } as const;
  return await Zygote.start({ ...options, hostPath }, never);
}

const convert = (zygote: Zygote, signal = never) => zygote.convert(job, signal, { onStart() {} });

test('a zygote treats a garbled report as a crash of its child, and survives', async () => {
  const onRun = `printf 'done %s ok 1 0.1 0.1 0.1 a\\rb\n' "$id"`;
  const zygote = await startZygote(writeHost({ onRun, onKill: GONE }));
  for (let i = 0; i < 2; i++) await expect(convert(zygote)).rejects.toMatchObject({ kind: 'crashed' });
  expect(zygote.isEnded).toBe(false);
  await zygote.close();
});

/** Children of this host take no notice of their document. Once killed, they end when `release` is called. */
function lateHost(): { hostPath: string; release(): void } {
  const released = join(root, 'released');
  rmSync(released, { force: true });
  const untilReleased = `until [ -e ${released} ]; do sleep 0.1; done`;
  return {
    hostPath: writeHost({ onKill: `echo "dying $id"; (${untilReleased}; ${GONE}) &` }),
    release: () => writeFileSync(released, ''),
  };
}

test('a killed child that ends late holds up neither its caller nor its zygote', async () => {
  const { hostPath, release } = lateHost();
  const zygote = await startZygote(hostPath);
  const started = Array.from({ length: 3 }, () => convert(zygote, AbortSignal.timeout(100)));
  for (const converting of started) await expect(converting).rejects.toMatchObject({ kind: 'aborted' });
  // Nothing of the documents is left meanwhile.
  const files = readdirSync(root, { recursive: true }).map(String);
  expect(files.filter((name) => name.endsWith('input.docx'))).toEqual([]);
  await expect(convert(zygote, AbortSignal.timeout(100))).rejects.toMatchObject({ kind: 'aborted' });
  expect(zygote.isEnded).toBe(false);
  release();
  await zygote.close();
});

test('an engine frees no slot while many killed children have not ended', async () => {
  const { hostPath, release } = lateHost();
  const engine = new LibreOfficeKitEngine({ zygotes: 1, workRoot: root, hostPath, sandbox: 'degraded' });
  await engine.start();
  const outcomeOf = async (timeoutMs: number, slow?: AbortSignal) => {
    const run = { timeoutMs, signal: never, ...(slow && { slow }) };
    return await engine.convert(job.input, { from: 'docx', to: 'pdf' }, run).catch(({ kind }) => kind);
  };
  const besideSlot = Array.from({ length: 2 }, () => outcomeOf(1_000, AbortSignal.abort()));
  expect(await Promise.all(besideSlot)).toEqual(['timeout', 'timeout']);
  expect(await outcomeOf(1_000)).toBe('timeout');
  expect(await outcomeOf(1_000)).toBe('unavailable');
  release();
  expect(await outcomeOf(5_000)).toBe('timeout');
  await engine.close();
});

test('a zygote that does not kill a child is given up', async () => {
  const zygote = await startZygote(writeHost({ onKill: ':' }));
  await expect(convert(zygote, AbortSignal.timeout(100))).rejects.toMatchObject({ kind: 'aborted' });
  expect(await zygote.ended).toMatchObject({ how: 'given-up' });
  await zygote.close();
});
