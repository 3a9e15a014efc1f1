import { execFileSync } from 'node:child_process';
import { expect, test } from '@jest/globals';

/** Prints the URL of each module that the gateway loads. */
const PRINT_MODULES = `
  import { registerHooks } from 'node:module';
  registerHooks({ load: (url, context, next) => (console.log(url), next(url, context)) });
  await import(${JSON.stringify(new URL('../src/gateway.ts', import.meta.url).href)});
`;

test('a gateway validates fields without loading the code that reads templates, draws and sanitizes', () => {
  const args = ['--conditions=source', '--input-type=module', '--eval', PRINT_MODULES];
  const loaded = execFileSync(process.execPath, args, { encoding: 'utf8' }).trim().split('\n');
  expect(loaded.filter((url) => url.includes('/docx-template/')).length).toBeGreaterThan(0);
  const heavy = /node_modules\/(@resvg|docxtemplater|pizzip|sanitize-html|markdown-it|yauzl)\//;
  expect(loaded.filter((url) => heavy.test(url))).toEqual([]);
});
