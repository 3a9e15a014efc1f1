import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { beforeAll, expect, test } from '@jest/globals';
import { openPackage } from '@scriptorium/ooxml/package';
import { p, run, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader';
import { write } from './written.ts';

const SOURCE = templateOf(p(run('{x}')));

beforeAll(async () => {
  const { resolve } = createRequire(import.meta.url);
  const { buffer } = new Uint8Array(readFileSync(resolve('zxing-wasm/reader/zxing_reader.wasm')));
  await prepareZXingModule({ overrides: { wasmBinary: buffer }, fireImmediately: true });
});

/** What ZXing reads from the picture of a value. */
async function readBack(type: string, value: string): Promise<string[]> {
  const { bytes } = await write(SOURCE, { x: { $barcode: { type, value } } });
  const { parts } = await openPackage(bytes);
  const png = [...parts.values()].find(({ contentType }) => contentType === 'image/png');
  const found = await readBarcodes(new Blob([Uint8Array.from(png?.bytes ?? [])]));
  return found.map(({ format, text }) => `${format} ${text}`);
}

test.each([
  ['qr', 'QRCode', 'https://example.com/ä?x=1€'],
  ['qr', 'QRCode', '0'],
  ['qr', 'QRCode', '漢字'.repeat(60)],
  ['qr', 'QRCode', '7'.repeat(5_000)],
  ['code128', 'Code128', 'ABC-123 ~x'],
  ['code128', 'Code128', '00123456789'],
  ['datamatrix', 'DataMatrix', 'Grüße'],
  ['datamatrix', 'DataMatrix', 'ABC1x'.repeat(100)],
  ['ean13', 'EAN13', '5901234123457'],
])('%s is read as %s of %s', async (type, format, value) => {
  expect(await readBack(type, value)).toEqual([`${format} ${value}`]);
});
