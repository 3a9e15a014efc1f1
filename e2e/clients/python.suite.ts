import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { type Stack, samples } from './stack.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../clients/python/', import.meta.url));

/** The tests of the Python client, with the Python of the machine. */
export function pythonSuite(stack: () => Stack): void {
  test('the Python client passes its tests', async () => {
    const { url, key } = stack();
    const env = {
      PATH: process.env.PATH,
      PYTHONPATH: `${root}src`,
      PYTHONDONTWRITEBYTECODE: '1',
      SCRIPTORIUM_URL: url,
      SCRIPTORIUM_API_KEY: key,
      SCRIPTORIUM_SAMPLES: fileURLToPath(samples),
    };
    const { stderr } = await run('python3', ['-m', 'unittest', 'discover', '-s', `${root}tests`], { env });
    const count = Number(/^Ran (\d+) tests/m.exec(stderr)?.[1]);
    expect(count).toBeGreaterThanOrEqual(12);
    expect(stderr).toMatch(/^OK$/m);
  });
}
