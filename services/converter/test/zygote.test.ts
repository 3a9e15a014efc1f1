import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { findProgramDir } from '../src/engines/installation.ts';
import { readOutput } from '../src/engines/output.ts';
import { Zygote } from '../src/engines/zygote.ts';

const root = mkdtempSync(join(tmpdir(), 'zygote-words-'));
afterAll(() => rmSync(root, { recursive: true }));

/** Implements the protocol of the engine host (`engine-host/serve.h`), and relays a child's report. */
function hostWithReport(report: string): string {
  const path = join(root, 'host');
  const script = `#!/bin/sh
echo 'ready LibreOffice writer degraded -'
while read -r verb id rest; do
  case $verb in
    spawn) echo "spare $id 1" ;;
    run) printf 'done %s ${report}\n' "$id" ;;
    kill) echo "gone $id signal 9 used" ;;
  esac
done
`;
  writeFileSync(path, script, { mode: 0o755 });
  return path;
}

test('a zygote treats a garbled report as a crash of its child, and survives', async () => {
  const signal = new AbortController().signal;
  const options = {
    programDir: (await findProgramDir()) ?? '',
    workDir: root,
    source: 'docx',
    warmUps: [],
  } as const;
  const zygote = await Zygote.start(
    { ...options, hostPath: hostWithReport('ok 1 0.1 0.1 0.1 a\\rb'), sandbox: 'degraded' },
    signal,
  );
  const job = {
    input: Buffer.from('x'),
    suffix: 'pdf',
    filter: 'writer_pdf_Export',
    accept: (_: unknown, path: string) => readOutput(path),
  };
  for (let i = 0; i < 2; i++)
    await expect(zygote.convert(job, signal, { onStart() {} })).rejects.toMatchObject({ kind: 'crashed' });
  expect(zygote.isEnded).toBe(false);
  await zygote.close();
});
