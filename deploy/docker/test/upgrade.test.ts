import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { REDIS_USERS, SERVICE_NAMES } from '@scriptorium/contracts/services';
import { SEND_MS_MAX } from '@scriptorium/gateway/settings/limits';
import { CLOSE_MS_MAX } from '@scriptorium/shared/lifecycle';
import { SERVICE_SETTINGS } from '../../settings.ts';
import { PRODUCTION, readCompose, TRIAL } from './compose-files.ts';

const checkout = join(import.meta.dirname, '..', '..', '..');
const trial = readCompose(checkout, TRIAL);
const production = readCompose(checkout, PRODUCTION);

const trialOf = (name: string) => trial.services[name] ?? {};
const productionOf = (name: string) => production.services[name] ?? {};

describe('the proxy in front of the gateways', () => {
  const file = readFileSync(join(checkout, 'deploy/docker/haproxy.cfg'), 'utf8');
  const { DRAIN_MS: drain, DEADLINE_MS: deadline, INTERNAL_PORT, PORT } = SERVICE_SETTINGS.gateway.shape;
  const msOf = (name: string) => Number(new RegExp(`\\b${name} (\\d+)s`).exec(file)?.[1]) * 1000;

  test('publishes the port, asks each gateway whether it is ready, and counts as a proxy', () => {
    expect(productionOf('gateway').ports).toEqual([]);
    expect(productionOf('proxy').ports).toEqual(trialOf('gateway').ports);
    expect(productionOf('gateway').environment?.TRUST_PROXY_HOPS).toBe(1);
    expect(trialOf('gateway').networks).toEqual(expect.arrayContaining(productionOf('proxy').networks ?? []));
    expect(file).toContain(`check port ${INTERNAL_PORT.parse(undefined)} `);
    expect(file).toContain(`gateway:${PORT.parse(undefined)} `);
  });

  test('leaves a gateway that stops before that refuses connections, and no request before its deadline', () => {
    const [, fall] = /\bfall (\d+)/.exec(file) ?? [];
    expect(Number(fall)).toBeGreaterThan(1);
    expect(msOf('inter') * Number(fall)).toBeLessThan(drain.parse(undefined));
    expect(msOf('timeout check')).toBeGreaterThan(msOf('inter'));
    expect(msOf('timeout server')).toBeGreaterThan(deadline.parse(undefined) + SEND_MS_MAX);
  });
});

test('the script of an upgrade replaces each service: workers before gateways, and no container before its end', () => {
  const script = readFileSync(join(checkout, 'deploy/docker/replace.sh'), 'utf8');
  const [, beside = ''] = /^services=.(.*).$/m.exec(script) ?? [];
  expect(beside.split(' ').sort()).toEqual([...REDIS_USERS].sort());
  expect(beside).toMatch(/ gateway$/);
  for (const name of SERVICE_NAMES.filter((each) => !beside.split(' ').includes(each)))
    expect(script).toMatch(new RegExp(`up .* ${name}$`, 'm'));
  const { DRAIN_MS, DEADLINE_MS } = SERVICE_SETTINGS.gateway.shape;
  const closingMsMax = DRAIN_MS.parse(undefined) + DEADLINE_MS.parse(undefined) + SEND_MS_MAX + CLOSE_MS_MAX;
  expect(Number(/docker stop --time (\d+)/.exec(script)?.[1]) * 1000).toBeGreaterThan(closingMsMax);
});
