import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type UsageGroup, usageTable } from '@scriptorium/usage/read';
import { type Rig, startRig, untilCounted } from './rig.ts';

const COMMAND = fileURLToPath(new URL('../src/licenses.ts', import.meta.url));
const OWNER = Buffer.alloc(32, 9);

let rig: Rig;
beforeAll(async () => {
  rig = await startRig();
  await rig.database.query(
    `INSERT INTO api_keys (id, key_hash, owner_hash, last4) VALUES ('key_acme', '\\x01', $1, 'last')`,
    [OWNER],
  );
});
afterAll(() => rig.close());

async function licenses(...args: string[]): Promise<{ stdout: string; stderr: string; code: number }> {
  const env = { PATH: process.env.PATH, DATABASE_URL: rig.databaseUrl };
  const run = promisify(execFile)(process.execPath, ['--conditions=source', COMMAND, ...args], { env });
  return run.then(
    ({ stdout, stderr }) => ({ stdout, stderr, code: 0 }),
    ({ stdout, stderr, code }) => ({ stdout, stderr, code }),
  );
}

test('the command registers a license for the owner of an API key, who can then read its usage, and revokes it', async () => {
  await rig.open('acme-2026', ['before']);
  expect(
    await licenses(
      'add',
      'acme-2026',
      '--organisation',
      'Acme',
      '--api-key',
      'key_acme',
      '--metadata',
      'team',
    ),
  ).toMatchObject({ code: 0 });
  await rig.open('acme-2026', ['before', 'after'], { metadata: { team: 'legal' } });
  await untilCounted(rig.database);
  const usage = usageTable(rig.database);
  const ever = { ownerHash: OWNER, from: '2020-01-01', to: '2100-01-01', granularity: 'month' } as const;
  const by = async (groupBy: UsageGroup) => (await usage.read({ ...ever, groupBy, groupsMax: 10 })).groups;
  expect(await by({ by: 'license' })).toEqual([{ group: 'acme-2026', documents: 2, opens: 3 }]);
  expect(await by({ by: 'metadata', key: 'team' })).toEqual([{ group: 'legal', documents: 2, opens: 2 }]);
  expect(await licenses('revoke', 'acme-2026')).toMatchObject({ code: 0 });
  await rig.open('strange', ['x']);
  await untilCounted(rig.database);
  const { stdout } = await licenses('list');
  expect(stdout).toMatch(/^community-and-eval-agplv3\t/m);
  expect(stdout).toMatch(
    /^acme-2026\tAcme\tdocuments 2\topens 3\tregistered \S+\trevoked 2\S+\tassigned\tmetadata team$/m,
  );
  expect(stdout).not.toContain('strange');
  expect((await licenses('list', '--all')).stdout).toMatch(
    /^strange\t-\tdocuments 1\topens 1\tregistered -/m,
  );
});

test.each([
  [[], /licenses -- list/],
  [['add'], /licenses -- list/],
  [['add', 'k', '--api-key', 'key_nobody'], /No API key has this id/],
  [['add', 'two words'], /visible ASCII/],
  [['add', 'k', '--metadata', 'a,b,c,d,e,f,g,h,i'], /At most 8/],
  [['revoke', 'never-there'], /license is not registered/],
])('the command rejects %j with a message', async (args, message) => {
  const { code, stderr } = await licenses(...args);
  expect(code).toBe(1);
  expect(stderr).toMatch(message);
  expect(stderr).not.toMatch(/\n\s+at /);
});
