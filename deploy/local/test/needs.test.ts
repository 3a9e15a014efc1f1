import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';

// Plain JavaScript, because the project's packages may not be installed yet; this is what it exports.
const { needsSystem } = (await import(new URL('../needs.mjs', import.meta.url).href)) as {
  needsSystem(file: string): boolean;
};

const root = fileURLToPath(new URL('../../..', import.meta.url));
const testsIn = (folder: string): string[] =>
  (readdirSync(join(root, folder), { recursive: true }) as string[])
    .filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules'))
    .map((name) => join(root, folder, name));

describe('a test', () => {
  test.each(['e2e', 'services/gateway/test', 'services/converter/test/engines/sources-rendering.test.ts'])(
    'of %s needs the system packages if it starts servers or programs',
    (path) => {
      const files = path.endsWith('.ts') ? [join(root, path)] : testsIn(path);
      const needing = files.filter(needsSystem);
      expect(needing.length).toBeGreaterThan(files.length / 2);
    },
  );

  test('of a pure package needs none', () => {
    const files = ['expressions', 'sealing', 'docx-merge', 'ooxml'].flatMap((name) =>
      testsIn(`packages/${name}/test`),
    );
    expect(files.length).toBeGreaterThan(5);
    // Some run another program on purpose.
    expect(files.filter(needsSystem).length).toBeLessThan(3);
  });

  test('that imports what is not there counts as one that needs them', () => {
    expect(needsSystem(join(root, 'packages/none/test/none.test.ts'))).toBe(true);
  });
});
