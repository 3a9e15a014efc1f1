import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ACCESS } from '@scriptorium/contracts/access';
import { convertJob } from '@scriptorium/contracts/jobs/convert';
import { ROLES } from '@scriptorium/contracts/services';
import { Secret } from '@scriptorium/shared/config';
import { connectPatient, disconnect, KEY_PREFIX } from '@scriptorium/shared/queue/connection';
import { openQueue } from '@scriptorium/shared/queue/open-queue';
import { type RedisServer, startRedis } from '@scriptorium/testing/redis-server';
import { QueueKeys } from 'bullmq';
import type { Redis } from 'ioredis';
import { componentOf, type KubernetesObject, ofKind, render } from './helm.ts';

const STATES = ['wait', 'prioritized', 'active'];

interface Trigger {
  type: string;
  name: string;
  metadata: { address: string; listName: string; listLength: string; enableTLS?: string };
  authenticationRef?: { name: string };
}

async function scaledObjects(example: string, ...args: string[]): Promise<Map<string, KubernetesObject>> {
  const objects = ofKind(await render(example, ...args), 'ScaledObject');
  const byQueues = objects.filter((object) => componentOf(object) !== 'runner');
  return new Map(byQueues.map((object) => [componentOf(object), object]));
}

/** KEDA's count of a key: the length of a list or sorted set, 0 if it is missing. */
async function lengthOf(redis: Redis, key: string): Promise<number> {
  const type = await redis.type(key);
  return type === 'zset' ? redis.zcard(key) : redis.llen(key);
}

describe('scaling by jobs', () => {
  test('reads the keys under which BullMQ keeps every job that a worker takes', async () => {
    const keys = new QueueKeys(KEY_PREFIX);
    const scaled = await scaledObjects('everything');
    expect([...scaled.keys()].sort()).toEqual([...ROLES].sort());
    for (const role of ROLES) {
      const triggers: Trigger[] = scaled.get(role)?.spec.triggers;
      const queues = ACCESS.jobs.filter((job) => job.role === role);
      const expected = queues.flatMap(({ name }) => STATES.map((state) => keys.toKey(name, state)));
      expect(triggers.map(({ metadata }) => metadata.listName)).toEqual(expected);
    }
  });

  test('adds all of them up, and targets seven tenths of a pod’s concurrent jobs', async () => {
    const scaled = await scaledObjects('everything');
    for (const { spec } of scaled.values()) {
      const { formula, target, metricType } = spec.advanced.scalingModifiers;
      expect(formula.split(' + ')).toEqual(spec.triggers.map(({ name }: Trigger) => name));
      expect(metricType).toBe('AverageValue');
      for (const { name, metadata } of spec.triggers as Trigger[]) {
        // A formula reads `-` as a sign.
        expect(name).toMatch(/^[a-z]+(_[a-z]+)+$/);
        expect(Number(target)).toBeCloseTo(0.7 * Number(metadata.listLength), 10);
      }
    }
    const target = (component: string) => scaled.get(component)?.spec.advanced.scalingModifiers.target;
    expect(['converter', 'annotator', 'signer', 'verifier'].map(target)).toEqual(['2.8', '1.4', '7', '2.8']);
  });

  test('never scales to zero, removes pods slowly, and keeps them while Redis is unavailable', async () => {
    for (const { spec } of (await scaledObjects('keda')).values()) {
      expect(spec.minReplicaCount).toBeGreaterThanOrEqual(1);
      expect(spec.fallback).toMatchObject({ behavior: 'currentReplicasIfHigher', failureThreshold: 3 });
      expect(spec.fallback.replicas).toBeGreaterThanOrEqual(spec.minReplicaCount);
      const { behavior } = spec.advanced.horizontalPodAutoscalerConfig;
      expect(behavior.scaleDown.stabilizationWindowSeconds).toBeGreaterThanOrEqual(60);
    }
  });

  test.each([
    [
      'everything',
      'docs-scriptorium-redis-queue.documents.svc:6379',
      'true',
      { password: 'REDIS_PASSWORD', ca: 'ca.crt' },
    ],
    [
      'external-redis',
      'queues.redis.example.com:6380',
      'true',
      { password: 'password', username: 'username' },
    ],
  ])('uses the keys of the Redis Secret: %s', async (example, address, enableTLS, keys) => {
    const objects = await render(example);
    const [authentication] = ofKind(objects, 'TriggerAuthentication');
    const parameters = authentication?.spec.secretTargetRef as {
      parameter: string;
      name: string;
      key: string;
    }[];
    expect(Object.fromEntries(parameters.map(({ parameter, key }) => [parameter, key]))).toEqual(keys);
    for (const { name } of parameters) expect(name).toMatch(/^(docs-)?scriptorium(-redis)?(-tls)?$/);
    for (const { spec } of (await scaledObjects(example)).values())
      for (const trigger of spec.triggers as Trigger[]) {
        expect(trigger.metadata).toMatchObject({
          address,
          ...(enableTLS === undefined ? {} : { enableTLS }),
        });
        expect(trigger.authenticationRef?.name).toBe(authentication?.metadata.name);
      }
  });
});

test('pods that run jobs are added by the jobs that are due in PostgreSQL, and have a fixed number without a maximum', async () => {
  const objects = await render('everything');
  const [scaled] = ofKind(objects, 'ScaledObject').filter((object) => componentOf(object) === 'runner');
  const [pods] = ofKind(objects, 'Deployment').filter((object) => componentOf(object) === 'runner');
  expect(pods?.spec).not.toHaveProperty('replicas');
  expect(JSON.stringify(pods?.spec)).toContain('"name":"DATABASE_URL"');
  expect(scaled?.spec).toMatchObject({
    ...{ minReplicaCount: 2, maxReplicaCount: 6, scaleTargetRef: { name: pods?.metadata.name } },
    triggers: [
      { type: 'postgresql', metadata: { connectionFromEnv: 'DATABASE_URL', targetQueryValue: '5.6' } },
    ],
  });
  const fixed = await render('everything', '--set', 'gateway.runner.replicasMax=0');
  expect(ofKind(fixed, 'ScaledObject').map(componentOf)).not.toContain('runner');
  const [still] = ofKind(fixed, 'Deployment').filter((object) => componentOf(object) === 'runner');
  expect(still?.spec.replicas).toBe(2);
});

test('behind sentinels, KEDA asks them which server has the queues', async () => {
  for (const { spec } of (await scaledObjects('sentinels')).values())
    for (const trigger of spec.triggers as (Trigger & { type: string })[]) {
      expect(trigger.type).toBe('redis-sentinel');
      expect(trigger.metadata).toMatchObject({
        sentinelMaster: 'queues',
        addresses: expect.stringContaining(':26379,'),
      });
      expect(trigger.metadata).not.toHaveProperty('address');
    }
});

describe('with jobs in a real queue', () => {
  let server: RedisServer;
  let redis: Redis;

  beforeAll(async () => {
    server = await startRedis();
    redis = connectPatient(new Secret(server.url));
  });
  afterAll(async () => {
    await disconnect(redis);
    await server.stop();
  });

  test('the sum of KEDA’s lengths is the number of jobs, whatever their priority', async () => {
    const queue = openQueue(convertJob.name, redis, { attempts: 1 });
    for (const priority of [0, 0, 1, 2, 3]) await queue.add('job', {}, { priority });
    const triggers: Trigger[] = (await scaledObjects('keda')).get('converter')?.spec.triggers;
    const lengths = await Promise.all(triggers.map(({ metadata }) => lengthOf(redis, metadata.listName)));
    expect(lengths).toEqual([2, 3, 0, 0, 0, 0]);
    await queue.close();
  });
});

describe('scaling by CPU', () => {
  test('is the default of every workload, between its minimum and maximum of pods', async () => {
    const scalers = ofKind(await render('defaults'), 'HorizontalPodAutoscaler');
    expect(scalers.map(componentOf).sort()).toEqual([
      'annotator',
      'converter',
      'gateway',
      'signer',
      'telemetry',
      'verifier',
    ]);
    for (const scaler of scalers) {
      const { spec } = scaler;
      expect(spec.minReplicas).toBeGreaterThanOrEqual(2);
      const percent = { gateway: 60, telemetry: 100 }[componentOf(scaler)] ?? 70;
      expect(spec.metrics).toMatchObject([
        { resource: { name: 'cpu', target: { averageUtilization: percent } } },
      ]);
    }
  });

  test('is absent without autoscaling', async () => {
    const objects = await render('trial');
    expect([...ofKind(objects, 'HorizontalPodAutoscaler'), ...ofKind(objects, 'ScaledObject')]).toEqual([]);
  });
});
