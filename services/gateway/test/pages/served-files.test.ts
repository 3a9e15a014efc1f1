import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import express from 'express';
import { serveTry } from '../../src/pages/served-files.ts';

test('the page /try says that it is being built, until its folder is there', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'try-'));
  const server = express()
    .use('/try', serveTry(join(folder, 'dist')))
    .listen(0, '127.0.0.1');
  await once(server, 'listening');
  const page = async () => {
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/try/`);
    return [answer.status, answer.headers.get('refresh'), await answer.text()];
  };
  try {
    expect(await page()).toEqual([503, '2', expect.stringContaining('is being built')]);
    mkdirSync(join(folder, 'dist'));
    writeFileSync(join(folder, 'dist', 'index.html'), '<p>Drop a document.');
    expect(await page()).toEqual([200, null, '<p>Drop a document.']);
  } finally {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  }
});
