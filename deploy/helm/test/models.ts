import { ScaledObject, TriggerAuthentication } from '@kubernetes-models/keda/keda.sh/v1alpha1';
import {
  PodMonitor,
  PrometheusRule,
  ServiceMonitor,
} from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';
import { Deployment } from 'kubernetes-models/apps/v1';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import { Ingress, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, Pod, Secret, Service, ServiceAccount } from 'kubernetes-models/v1';
import { z } from 'zod';
import type { KubernetesObject } from './helm.ts';

const MODELS = [
  ConfigMap,
  Deployment,
  HorizontalPodAutoscaler,
  Ingress,
  NetworkPolicy,
  Pod,
  PodDisruptionBudget,
  PodMonitor,
  PrometheusRule,
  ScaledObject,
  Secret,
  Service,
  ServiceAccount,
  ServiceMonitor,
  TriggerAuthentication,
];

/** The parts of the Gateway API that the chart uses; no package here has its models. */
const httpRoute = z.strictObject({
  apiVersion: z.literal('gateway.networking.k8s.io/v1'),
  kind: z.literal('HTTPRoute'),
  metadata: z.looseObject({ name: z.string() }),
  spec: z.strictObject({
    parentRefs: z.array(z.strictObject({ name: z.string(), namespace: z.string().optional() })).min(1),
    hostnames: z.array(z.string()).optional(),
    rules: z.array(
      z.strictObject({
        matches: z.array(
          z.strictObject({ path: z.strictObject({ type: z.literal('PathPrefix'), value: z.string() }) }),
        ),
        timeouts: z.strictObject({ request: z.string() }),
        backendRefs: z.array(z.strictObject({ name: z.string(), port: z.number() })),
      }),
    ),
  }),
});

/** Throws unless the object is valid for its kind. */
export function validate(object: KubernetesObject): void {
  if (object.kind === 'HTTPRoute') {
    httpRoute.parse(object);
    return;
  }
  const model = MODELS.find(
    ({ apiVersion, kind }) => apiVersion === object.apiVersion && kind === object.kind,
  );
  if (model === undefined) throw new Error(`${object.apiVersion} ${object.kind} has no model`);
  new model(object as never).validate();
}
