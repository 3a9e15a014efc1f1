import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { TOOLS } from '../src/tools.ts';

test('the skill and the guide name every tool', async () => {
  for (const page of ['../SKILL.md', '../../../docs/guides/command.md']) {
    const text = await readFile(new URL(page, import.meta.url), 'utf8');
    for (const { name } of TOOLS) expect(text).toContain(`\`${name}\``);
  }
});
