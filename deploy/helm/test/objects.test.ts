import { describe, expect, test } from '@jest/globals';
import { testInWhole } from '@scriptorium/testing/extent';
import { stringify } from 'yaml';
import {
  CHART,
  componentOf,
  helm,
  type KubernetesObject,
  ofKind,
  parseObjects,
  render,
  throughKubectl,
  VALUE_SETS,
  valuesOf,
} from './helm.ts';
import { validate } from './models.ts';

/** The labels of each kind of pod, by component. */
function podLabels(objects: readonly KubernetesObject[]): Map<string, Record<string, string>> {
  return new Map(
    ofKind(objects, 'Deployment').map((object) => [
      componentOf(object),
      object.spec.template.metadata.labels,
    ]),
  );
}

const matches = (labels: Record<string, string>, selector: Record<string, string>) =>
  Object.entries(selector).every(([name, value]) => labels[name] === value);

const selectedBy = (objects: readonly KubernetesObject[], selector: Record<string, string>) =>
  [...podLabels(objects)].filter(([, labels]) => matches(labels, selector)).map(([component]) => component);

describe.each(VALUE_SETS)('with the values `%s`', (example) => {
  const rendering = render(example);

  testInWhole('every object is valid for Kubernetes, KEDA and the Prometheus operator', async () => {
    const objects = await rendering;
    expect(objects.length).toBeGreaterThan(20);
    for (const object of objects) expect(() => validate(object)).not.toThrow();
  });

  test('no name in a Deployment is unknown to Kubernetes', async () => {
    const deployments = ofKind(await rendering, 'Deployment');
    const known = await throughKubectl(deployments.map((object) => stringify(object)).join('---\n'));
    expect(known).toMatchObject(withoutEnvironment(deployments));
  });

  test('every object has a unique, valid name in the namespace of the release', async () => {
    const objects = await rendering;
    const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(new Set(names).size).toBe(names.length);
    for (const { metadata } of objects) {
      expect(metadata.namespace).toBe('documents');
      expect(metadata.name).toMatch(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);
    }
  });

  test('every Deployment, Service and budget selects only the pods of its own component', async () => {
    const objects = await rendering;
    const selectors = [
      ...ofKind(objects, 'Deployment').map((o) => [componentOf(o), o.spec.selector.matchLabels] as const),
      ...ofKind(objects, 'Service').map((o) => [componentOf(o), o.spec.selector] as const),
      ...ofKind(objects, 'PodDisruptionBudget').map(
        (o) => [componentOf(o), o.spec.selector.matchLabels] as const,
      ),
    ];
    for (const [component, selector] of selectors) expect(selectedBy(objects, selector)).toEqual([component]);
  });

  test('named ports exist in the pods', async () => {
    const objects = await rendering;
    const portsOf = (component: string): string[] =>
      ofKind(objects, 'Deployment')
        .filter((object) => componentOf(object) === component)
        .flatMap(({ spec }) =>
          spec.template.spec.containers[0].ports.map(({ name }: { name: string }) => name),
        );
    for (const service of ofKind(objects, 'Service'))
      for (const { targetPort } of service.spec.ports)
        expect(portsOf(componentOf(service))).toContain(targetPort);
    for (const { spec } of [...ofKind(objects, 'Ingress'), ...ofKind(objects, 'HTTPRoute')]) {
      const { name } = spec.rules[0].http?.paths[0].backend.service ?? spec.rules[0].backendRefs[0];
      expect(ofKind(objects, 'Service').map(({ metadata }) => metadata.name)).toContain(name);
    }
  });

  test('a scaler refers to a Deployment without a number of pods, and every other Deployment has one', async () => {
    const objects = await rendering;
    const scalers = [...ofKind(objects, 'HorizontalPodAutoscaler'), ...ofKind(objects, 'ScaledObject')];
    const scaled = scalers.map(({ spec }) => spec.scaleTargetRef.name);
    expect(new Set(scaled).size).toBe(scaled.length);
    const names = ofKind(objects, 'Deployment').map(({ metadata }) => metadata.name);
    expect(scaled.filter((name) => !names.includes(name))).toEqual([]);
    for (const { metadata, spec } of ofKind(objects, 'Deployment'))
      expect(spec.replicas === undefined).toBe(scaled.includes(metadata.name));
  });
});

/** kubectl adds a variable to each container, and some defaults: another test checks lists of variables. */
function withoutEnvironment(deployments: readonly KubernetesObject[]): KubernetesObject[] {
  const copies = structuredClone(deployments) as KubernetesObject[];
  for (const { spec } of copies) for (const container of spec.template.spec.containers) delete container.env;
  return copies;
}

test.each(['a-release-whose-name-is-as-long-as-helm-lets-it-be-53', 'docs.of.the-second-floor'])(
  'the names of all objects are DNS labels in the release %s',
  async (release) => {
    const objects = parseObjects(await helm('template', release, CHART, ...valuesOf('everything')));
    const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(new Set(names).size).toBe(names.length);
    for (const { metadata } of objects) expect(metadata.name).toMatch(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);
  },
);

const WATCHED = [
  'annotator',
  'converter',
  'gateway',
  'runner',
  'signer',
  'telemetry',
  'telemetry-consumer',
  'verifier',
];

describe('the monitor', () => {
  test('of Services covers every pod of the services, ready or not, on the port `internal`, and no Redis', async () => {
    const objects = await render('everything');
    const [monitor] = ofKind(objects, 'ServiceMonitor');
    const services = ofKind(objects, 'Service').filter(
      ({ metadata, spec }) =>
        matches(metadata.labels, monitor?.spec.selector.matchLabels) &&
        spec.ports.some(({ name }: { name: string }) => name === monitor?.spec.endpoints[0].port),
    );
    expect(services.flatMap(({ spec }) => selectedBy(objects, spec.selector)).sort()).toEqual(WATCHED);
    for (const { spec } of services)
      expect(spec).toMatchObject({ clusterIP: 'None', publishNotReadyAddresses: true });
    expect(monitor?.spec.endpoints).toMatchObject([{ port: 'internal', path: '/metrics' }]);
  });

  test('of pods covers every pod of the services, on the port `internal`, and no Redis', async () => {
    const objects = await render('openshift');
    const { selector, podMetricsEndpoints } = ofKind(objects, 'PodMonitor')[0]?.spec ?? {};
    const [expression] = selector.matchExpressions;
    const watched = selectedBy(objects, selector.matchLabels).filter(
      (component) => !expression.values.includes(component),
    );
    expect(expression).toMatchObject({ key: 'app.kubernetes.io/component', operator: 'NotIn' });
    expect(WATCHED).toEqual(expect.arrayContaining(watched));
    expect(watched.length).toBeGreaterThanOrEqual(5);
    expect(podMetricsEndpoints).toMatchObject([{ port: 'internal', path: '/metrics' }]);
  });
});
