import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, jest, test } from '@jest/globals';
import { LogFile } from '../log-file.ts';

test('a log on a full disk loses its lines, and says so once', () => {
  const failures: string[] = [];
  // Every write to this device fails as on a full disk (full(4)).
  const log = new LogFile('/dev/full', (code) => failures.push(code));
  jest.useFakeTimers();
  for (let line = 0; line < 3; line++) {
    log.write(Buffer.from('{"msg":"ready"}\n'));
    jest.advanceTimersByTime(10_000);
  }
  jest.useRealTimers();
  expect(failures).toEqual(['ENOSPC']);
  log.close();
});

test('a long log begins anew, and keeps what was before', () => {
  const folder = mkdtempSync(join(tmpdir(), 'log-test-'));
  const path = join(folder, 'deep', 'gateway.log');
  const failures: string[] = [];
  const log = new LogFile(path, (code) => failures.push(code));
  const mebibyte = Buffer.alloc(1024 * 1024, 'x');
  for (let written = 0; written < 33; written++) log.write(mebibyte);
  log.write(Buffer.from('the end'));
  log.close();
  expect(readFileSync(path, 'utf8').endsWith('the end')).toBe(true);
  expect(statSync(path).size + statSync(`${path}.1`).size).toBe(33 * mebibyte.length + 7);
  expect(failures).toEqual([]);
  rmSync(folder, { recursive: true });
});
