import { describe, expect, test } from '@jest/globals';
import { testInWhole } from '@scriptorium/testing/extent';
import { ofKind, render } from './helm.ts';
import { NetworkRules, type Party } from './network-rules.ts';

const namespace = (name: string): Party => ({
  pod: { app: 'any' },
  namespace: { 'kubernetes.io/metadata.name': name },
});
const at = (address: string): Party => ({ address });

const NAME_SERVER: Party = {
  pod: { 'k8s-app': 'kube-dns' },
  namespace: { 'kubernetes.io/metadata.name': 'kube-system' },
};
const PUBLIC = at('93.184.215.14');
const PUBLIC_6 = at('2606:2800:21f:cb07::1');
const MINE = at('10.9.8.7');
/** Metadata addresses of clouds, which give out credentials; Azure has a second one, a public address. */
const METADATA_SERVERS = [
  at('169.254.169.254'),
  at('168.63.129.16'),
  at('100.100.100.200'),
  at('192.0.0.192'),
];
const PRIVATE = [
  MINE,
  ...METADATA_SERVERS,
  at('172.20.0.1'),
  at('192.168.1.1'),
  at('127.0.0.1'),
  at('fd00::1'),
  at('fe80::1'),
];

const SERVICES = ['annotator', 'converter', 'gateway', 'signer', 'telemetry', 'verifier'];
const USE_REDIS = ['annotator', 'converter', 'gateway', 'signer', 'verifier'];
const FETCH = ['gateway', 'signer', 'verifier'];
const withRunner = (components: readonly string[]) => [...components, 'runner'].sort();
const rulesOf = async (example: string, ...args: string[]) =>
  new NetworkRules(await render(example, ...args));

/** The services that may connect to a peer and port. */
function whoReaches(rules: NetworkRules, party: Party, port: number): string[] {
  return rules.components.filter((component) => rules.lets(component, party, port)).sort();
}

describe('out of a pod', () => {
  testInWhole(
    'annotators and converters, which read hostile documents, reach only Redis and name servers',
    async () => {
      const rules = await rulesOf('defaults');
      for (const worker of ['annotator', 'converter']) {
        for (const port of [22, 25, 53, 80, 443, 5432, 6379, 6443, 8080])
          for (const party of [PUBLIC, PUBLIC_6, ...PRIVATE, rules.pod('gateway')])
            expect([worker, party, port, rules.lets(worker, party, port)]).toEqual([
              worker,
              party,
              port,
              false,
            ]);
        expect(rules.lets(worker, rules.pod('redis-queue'), 6379)).toBe(true);
        expect(rules.lets(worker, rules.pod('redis-blob'), 6379)).toBe(true);
        expect(rules.lets(worker, NAME_SERVER, 53, 'UDP')).toBe(true);
      }
    },
  );

  test('verifiers, which also read hostile documents, reach no pod of the release except Redis', async () => {
    const rules = await rulesOf('defaults');
    for (const component of rules.components.filter((name) => !name.startsWith('redis-')))
      for (const port of [8080, 8081, 9464, 9465, 9466, 9467, 9468, 9469])
        expect([component, port, rules.lets('verifier', rules.pod(component), port)]).toEqual([
          component,
          port,
          false,
        ]);
  });

  test('each destination is reached only by the services that need it', async () => {
    const rules = await rulesOf('defaults');
    expect(whoReaches(rules, rules.pod('redis-queue'), 6379)).toEqual(USE_REDIS);
    expect(whoReaches(rules, rules.pod('redis-blob'), 6379)).toEqual(USE_REDIS);
    expect(whoReaches(rules, MINE, 5432)).toEqual(['gateway', 'telemetry']);
    expect(whoReaches(rules, MINE, 587)).toEqual(['gateway']);
    expect(whoReaches(rules, NAME_SERVER, 53)).toEqual(SERVICES);
    expect(whoReaches(rules, NAME_SERVER, 443)).toEqual([]);
    for (const component of rules.components) expect(whoReaches(rules, rules.pod(component), 22)).toEqual([]);
  });

  test('gateways, signers and verifiers fetch from public addresses, never from private ones', async () => {
    const rules = await rulesOf('defaults');
    for (const port of [80, 443]) {
      expect(whoReaches(rules, PUBLIC, port)).toEqual(FETCH);
      expect(whoReaches(rules, PUBLIC_6, port)).toEqual(FETCH);
      for (const party of PRIVATE) expect(whoReaches(rules, party, port)).toEqual([]);
    }
    expect(whoReaches(rules, PUBLIC, 8443)).toEqual([]);
  });

  test('no service fetches if fetching is off', async () => {
    const rules = await rulesOf('defaults', '--set', 'networkPolicy.fetch.enabled=false');
    expect(whoReaches(rules, PUBLIC, 443)).toEqual([]);
  });

  test('an operator can exclude and add addresses, and set those of the servers', async () => {
    const rules = await rulesOf('everything');
    expect(whoReaches(rules, at('203.0.113.7'), 443)).toEqual([]);
    expect(whoReaches(rules, at('2001:db8:1::7'), 443)).toEqual([]);
    expect(whoReaches(rules, at('10.100.0.1'), 9000)).toEqual(withRunner(FETCH));
    expect(whoReaches(rules, MINE, 5432)).toEqual([]);
    expect(whoReaches(rules, at('10.30.0.9'), 5432)).toEqual(
      withRunner(['gateway', 'telemetry', 'telemetry-consumer']),
    );
    expect(whoReaches(rules, at('10.40.0.5'), 587)).toEqual(withRunner(['gateway']));
    expect(whoReaches(rules, at('10.40.0.6'), 587)).toEqual([]);
    expect(whoReaches(rules, at('10.50.0.9'), 443)).toEqual(['signer']);
    for (const party of [MINE, PUBLIC, PUBLIC_6]) expect(whoReaches(rules, party, 4318)).toEqual([]);
    expect(whoReaches(rules, namespace('observability'), 4318)).toEqual(withRunner(USE_REDIS));
  });

  test('no service sends traces if they are off', async () => {
    const rules = await rulesOf('defaults');
    expect(whoReaches(rules, namespace('observability'), 4318)).toEqual([]);
  });

  test('an external Redis is reached at its address', async () => {
    const rules = await rulesOf('external-redis');
    expect(whoReaches(rules, at('10.20.0.4'), 6380)).toEqual(USE_REDIS);
    expect(whoReaches(rules, at('10.21.0.4'), 6380)).toEqual([]);
    expect(whoReaches(rules, at('10.20.0.4'), 6379)).toEqual([]);
  });
});

describe('into a pod', () => {
  test('callers reach only the public ports of gateway and telemetry', async () => {
    const rules = await rulesOf('defaults');
    for (const component of rules.components)
      for (const port of [8080, 8081, 9464, 9465, 9466, 9467, 9468, 9469, 6379]) {
        const isPublic =
          `${component} ${port}` === 'gateway 8080' || `${component} ${port}` === 'telemetry 8081';
        expect([component, port, rules.admits(component, PUBLIC, port)]).toEqual([component, port, isPublic]);
      }
  });

  test('callers come only from the operator’s peers', async () => {
    const rules = await rulesOf('everything');
    expect(rules.admits('gateway', PUBLIC, 8080)).toBe(false);
    expect(rules.admits('gateway', namespace('ingress-nginx'), 8080)).toBe(true);
    expect(rules.admits('gateway', namespace('ingress-nginx'), 9464)).toBe(false);
  });

  test('metrics are readable only from the monitoring namespace', async () => {
    const rules = await rulesOf('defaults');
    const ports = {
      gateway: 9464,
      converter: 9465,
      annotator: 9466,
      signer: 9467,
      telemetry: 9468,
      verifier: 9469,
    };
    for (const [component, port] of Object.entries(ports)) {
      expect(rules.admits(component, namespace('monitoring'), port)).toBe(true);
      expect(rules.admits(component, namespace('default'), port)).toBe(false);
      expect(rules.admits(component, rules.pod('gateway'), port)).toBe(false);
    }
  });

  test('Redis is reached by the services that use it, and its queues by KEDA if it scales', async () => {
    const [usual, scaled] = [await rulesOf('defaults'), await rulesOf('keda')];
    for (const redis of ['redis-queue', 'redis-blob']) {
      for (const service of USE_REDIS) expect(usual.admits(redis, usual.pod(service), 6379)).toBe(true);
      expect(usual.admits(redis, usual.pod('telemetry'), 6379)).toBe(false);
      expect(usual.admits(redis, namespace('keda'), 6379)).toBe(false);
    }
    expect(scaled.admits('redis-queue', namespace('keda'), 6379)).toBe(true);
    expect(scaled.admits('redis-blob', namespace('keda'), 6379)).toBe(false);
  });
});

test('no policy is created if an operator disables them', async () => {
  expect(ofKind(await render('everything', '--set', 'networkPolicy.enabled=false'), 'NetworkPolicy')).toEqual(
    [],
  );
});
