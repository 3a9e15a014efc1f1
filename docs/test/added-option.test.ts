import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from '@jest/globals';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;
const HELP = 'What is added. By default `one`';

interface Faces {
  files: Record<string, string>;
  help: string;
  tool: string;
  form: object;
  gotenberg: object;
}

let faces: Faces;
let files: Faces['files'];

beforeAll(async () => {
  const program = fileURLToPath(new URL('added-option.ts', import.meta.url));
  const args = ['--conditions=source', '--no-warnings', program];
  const { stdout } = await run(process.execPath, args, { maxBuffer: OUTPUT_BYTES_MAX });
  faces = JSON.parse(stdout) as Faces;
  files = faces.files;
});

describe('an option that is added to the contract', () => {
  test('is in the reference: in the query, and in the body of what is converted to PDF', () => {
    const { paths, components } = JSON.parse(files['docs/reference/openapi.json'] ?? '');
    const names = paths['/v1/convert'].post.parameters.map(({ name }: { name: string }) => name);
    expect(names).toContain('added');
    expect(components.schemas.PdfOptions.properties.added.enum).toEqual(['one', 'two']);
  });

  test('is in the types of the client', () => {
    const types = files['clients/sdk/src/api-types.gen.ts'] ?? '';
    const query = types.slice(types.indexOf('export type ConvertData = {'));
    expect(query.slice(0, query.indexOf('url:'))).toContain("added?: 'one' | 'two';");
  });

  test('is an option of the command, with its values', () => {
    expect(faces.help).toMatch(/ --added one\|two +What is added\. By default one\n/);
  });

  test('is an input of the tool for models', () => {
    expect(faces.tool).toBe(HELP);
  });

  test('is in the form of the page, with its label, its values and its default', () => {
    const choiceNames = { one: 'First', two: 'Second' };
    expect(faces.form).toMatchObject({ title: 'An added option', default: 'one', choiceNames });
  });

  test('is an argument of the client for Python, with its type, its default and its description', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'scriptorium-python-'));
    try {
      const source = 'clients/python/src/scriptorium';
      await cp(join(root, source), join(folder, 'scriptorium'), { recursive: true });
      const generated = files[`${source}/options_gen.py`] ?? '';
      expect(generated).toContain('"added": Literal["one", "two"],');
      await writeFile(join(folder, 'scriptorium/options_gen.py'), generated);
      const script = 'import scriptorium; help(scriptorium.Scriptorium.convert)';
      const { stdout } = await run('python3', ['-c', script], {
        env: { ...process.env, PYTHONPATH: folder },
      });
      expect(stdout).toContain("added='one', ");
      expect(stdout).toContain(`added: ${HELP}.`);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test('is in the table of the guide', () => {
    expect(files['docs/guides/convert.md']).toContain(`| \`added\` | \`one\` \`two\` | ${HELP} |`);
  });

  test('is a field of the form of Gotenberg, by its name there', () => {
    expect(faces.gotenberg).toMatchObject({ added: 'two' });
    expect(files['docs/reference/gotenberg.md']).toContain('| `addedField` | `added` |');
  });
});
