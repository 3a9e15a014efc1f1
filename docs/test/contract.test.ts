import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { type Contract, surfaceOf } from '../contract-surface.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));
const REFERENCE = 'docs/reference/openapi.json';
const BASELINE = 'docs/test/contract-baseline.txt';

/** What was removed on purpose since the last tag. Each entry is a breaking change in CHANGELOG.md. */
const REMOVED: readonly string[] = [];

const contract = JSON.parse(await readFile(root + REFERENCE, 'utf8')) as Contract;

const git = async (...args: string[]): Promise<string> =>
  (await run('git', args, { cwd: root, maxBuffer: 64 * 1024 * 1024 })).stdout;

/** The surface of the last tagged version. Without a tag, or without a repository, that of the baseline. */
async function lastSurface(): Promise<string[]> {
  try {
    const tag = (await git('describe', '--tags', '--abbrev=0')).trim();
    return surfaceOf(JSON.parse(await git('show', `${tag}:${REFERENCE}`)) as Contract);
  } catch {
    return (await readFile(root + BASELINE, 'utf8')).trimEnd().split('\n');
  }
}

/** What callers could rely on, and now cannot. */
function missing(before: readonly string[], now: Contract): string[] {
  const surface = new Set(surfaceOf(now));
  return before.filter((line) => !surface.has(line) && !REMOVED.includes(line));
}

describe('the contract', () => {
  test('has everything that the last version had: paths, parameters, properties, values', async () => {
    const before = await lastSurface();
    expect(before.length).toBeGreaterThan(1_000);
    expect(missing(before, contract)).toEqual([]);
  });

  const schemas = 'components.schemas.';
  test.each([
    ['a path', 'paths./v1/merge', 'POST /v1/merge'],
    ['a parameter', 'paths./v1/annotate.post.parameters.2', 'POST /v1/annotate query flatten'],
    [
      'a property in a union',
      `${schemas}DocumentSource.oneOf.1`,
      'POST /v1/sign takes application/json .document.url',
    ],
    [
      'a value of an enumeration',
      `${schemas}AuditEvent.properties.type.enum.3`,
      'POST /v1/sign takes application/json .auditTrail[].type = submit',
    ],
    [
      'a property of an answer',
      `${schemas}VerifyReport.properties.verdict`,
      'POST /v1/verify answers 200 application/json .verdict',
    ],
    ['a code of an error', `${schemas}ErrorCode.enum.0`, 'errors application/json .code = VALIDATION_ERROR'],
  ])('is seen to have lost %s', (_what, path, line) => {
    const names = path.split(/\.(?!json)/);
    const copy = structuredClone(contract);
    const holder = names
      .slice(0, -1)
      .reduce<unknown>((held, name) => (held as Record<string, unknown>)[name], copy);
    if (Array.isArray(holder)) holder.splice(Number(names.at(-1)), 1);
    else delete (holder as Record<string, unknown>)[names.at(-1) ?? ''];
    expect(missing(surfaceOf(contract), copy)).toContain(line);
  });

  test('has no errors for Redocly', async () => {
    const cli = `${root}node_modules/@redocly/cli/bin/cli.js`;
    const { stdout } = await run(process.execPath, [cli, 'lint', REFERENCE, '--format=json'], {
      cwd: root,
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    });
    const { problems } = JSON.parse(stdout) as { problems: { ruleId: string; message: string }[] };
    expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  });
});
