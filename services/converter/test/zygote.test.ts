import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { findProgramDir } from '../src/engines/installation.ts';
import { readOutput } from '../src/engines/output.ts';
import { Zygote } from '../src/engines/zygote.ts';
import { until } from './processes.ts';

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
    spawn) echo "spare $id 1" ;;
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
    workDir: root,
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

test('a killed child that ends late holds up neither its caller nor its zygote, and counts until it ends', async () => {
  const zygote = await startZygote(writeHost({ onKill: `echo "dying $id"; (sleep 4; ${GONE}) &` }));
  const startedAt = performance.now();
  await expect(convert(zygote, AbortSignal.timeout(100))).rejects.toMatchObject({ kind: 'aborted' });
  expect(performance.now() - startedAt).toBeLessThan(3_000);
  expect(readdirSync(root).filter((name) => name === 'job-1')).toEqual([]);
  expect(zygote.lent).toBe(1);
  await until('it has ended', () => zygote.lent === 0);
  expect(zygote.isEnded).toBe(false);
  await zygote.close();
});

test('a zygote that does not kill a child is given up', async () => {
  const zygote = await startZygote(writeHost({ onKill: ':' }));
  await expect(convert(zygote, AbortSignal.timeout(100))).rejects.toMatchObject({ kind: 'aborted' });
  expect(await zygote.ended).toMatchObject({ how: 'given-up' });
  await zygote.close();
});
