import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { generatedFiles } from '../docs/generated.ts';

test('every generated document is as the code now makes it', async () => {
  const files = await generatedFiles();
  expect(files.size).toBeGreaterThan(2);
  for (const [path, text] of files) {
    const onDisk = await readFile(new URL(`../${path}`, import.meta.url), 'utf8');
    expect({ path, isFresh: onDisk === text }).toEqual({ path, isFresh: true });
  }
});
