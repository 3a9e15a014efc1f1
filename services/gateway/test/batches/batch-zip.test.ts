import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { AppError } from '@scriptorium/contracts/errors';
import { document, linesOf, rowsOf, stream } from '../rigs/batch-rig.ts';
import { type Rig, startRig } from '../rigs/rig.ts';
import { docx, until } from '../rigs/signing-rig.ts';

let rig: Rig;
let key: string;
let folder: string;
beforeAll(async () => {
  rig = await startRig();
  key = (await rig.newKey()).key;
  rig.fillRowsWith(async ({ json }) => {
    if ((json as { fails?: boolean }).fails) throw new AppError('DATA_MISSING', 'The data lacks 1 value.');
    return Buffer.from(` ${JSON.stringify(json)}`);
  });
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'scriptorium-zip-'));
});
afterEach(async () => {
  rmSync(folder, { recursive: true });
  expect(await until(async () => (await rig.blobKeys()).length === 0)).toBe(true);
});
afterAll(() => rig.close());

/** Unpacks with Python's reader, which checks every checksum, into a map from name to text. */
function unpack(bytes: ArrayBuffer): Record<string, string> {
  const path = join(folder, 'a.zip');
  writeFileSync(path, Buffer.from(bytes));
  const script =
    'import json,sys,zipfile\nz=zipfile.ZipFile(sys.argv[1])\nassert z.testzip() is None\n' +
    'assert len(set(z.namelist()))==len(z.namelist())\n' +
    'open(sys.argv[2],"w").write(json.dumps({n:z.read(n).decode() for n in z.namelist()}))';
  execFileSync('python3', ['-c', script, path, join(folder, 'a.json')]);
  return JSON.parse(readFileSync(join(folder, 'a.json'), 'utf8'));
}

describe('an archive of a batch', () => {
  test('has a document for each row, the failed rows and the summary', async () => {
    const rows = [...rowsOf(300), { id: 'bad', data: { fails: true } }];
    const response = await stream(rig, key, linesOf({}, rows), { query: '?output=zip' });
    expect(response.headers.get('content-type')).toBe('application/zip');
    const files = unpack(await response.arrayBuffer());
    expect(Object.keys(files)).toHaveLength(302);
    for (let at = 0; at < 300; at++)
      expect(files[`${String(at).padStart(6, '0')}.docx`]).toBe(`${docx} {"number":${at}}`);
    expect(JSON.parse(files['errors.ndjson'] ?? '')).toMatchObject({
      index: 300,
      id: 'bad',
      error: { code: 'DATA_MISSING' },
    });
    expect(JSON.parse(files['summary.json'] ?? '')).toEqual({ summary: { rows: 301, done: 300, failed: 1 } });
  });

  test('follows from the type that the caller accepts', async () => {
    const response = await rig.postJson(
      key,
      '/v1/batches',
      { document, rows: rowsOf(1) },
      { headers: { accept: 'application/zip' } },
    );
    expect(Object.keys(unpack(await response.arrayBuffer()))).toEqual(['000000.docx', 'summary.json']);
  });

  test('has clean names, each one once', async () => {
    const names = [
      '../../etc/passwd',
      'C:\\windows\\system',
      'a\u0000b\n',
      '.hidden',
      'CON',
      'nul.txt',
      'Letter.docx',
      'letter',
      'LETTER.DOCX',
      'Zoë 渡辺',
      '...',
      'summary.json',
      'x'.repeat(255),
      'a\u202etxt',
    ];
    const rows = names.map((name) => ({ name, data: {} }));
    const body = { document, options: { order: 'input' }, rows };
    const response = await rig.postJson(key, '/v1/batches?output=zip', body);
    expect(Object.keys(unpack(await response.arrayBuffer()))).toEqual([
      'etcpasswd.docx',
      'Cwindowssystem.docx',
      'ab.docx',
      'hidden.docx',
      '_CON.docx',
      '_nul.txt.docx',
      'Letter.docx',
      'letter (2).docx',
      'LETTER (3).docx',
      'Zoë 渡辺.docx',
      '000010.docx',
      'summary.json.docx',
      `${'x'.repeat(150)}.docx`,
      'atxt.docx',
      'summary.json',
    ]);
  });
});
