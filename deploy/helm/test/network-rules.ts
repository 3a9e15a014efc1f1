import { BlockList } from 'node:net';
import { componentOf, type KubernetesObject, ofKind } from './helm.ts';

type Labels = Record<string, string>;

interface Selector {
  matchLabels?: Labels;
  matchExpressions?: { key: string; operator: 'In'; values: string[] }[];
}
interface Peer {
  podSelector?: Selector;
  namespaceSelector?: Selector;
  ipBlock?: { cidr: string; except?: string[] };
}
interface Rule {
  ports?: { protocol: string; port: number | string }[];
  to?: Peer[];
  from?: Peer[];
}

/** An external peer by its address, or a pod with its labels and those of its namespace. */
export type Party = { address: string } | { pod: Labels; namespace: Labels };

const HOME: Labels = { 'kubernetes.io/metadata.name': 'documents' };

function selects(selector: Selector, labels: Labels): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return (
    Object.entries(matchLabels).every(([name, value]) => labels[name] === value) &&
    matchExpressions.every(({ key, values }) => values.includes(labels[key] ?? ''))
  );
}

function within(address: string, cidr: string): boolean {
  const [network = '', bits] = cidr.split('/');
  const family = network.includes(':') ? 'ipv6' : 'ipv4';
  if (family !== (address.includes(':') ? 'ipv6' : 'ipv4')) return false;
  const list = new BlockList();
  list.addSubnet(network, Number(bits), family);
  return list.check(address, family);
}

function isPeer({ podSelector, namespaceSelector, ipBlock }: Peer, party: Party): boolean {
  if ('address' in party)
    return (
      ipBlock !== undefined &&
      within(party.address, ipBlock.cidr) &&
      !(ipBlock.except ?? []).some((cidr) => within(party.address, cidr))
    );
  if (ipBlock !== undefined) return false;
  const isNamespace =
    namespaceSelector === undefined ? party.namespace === HOME : selects(namespaceSelector, party.namespace);
  return isNamespace && selects(podSelector ?? {}, party.pod);
}

/** Evaluates the NetworkPolicies of a release like a cluster (networking.k8s.io/v1). */
export class NetworkRules {
  readonly #policies: KubernetesObject[];
  readonly #pods: Map<string, { labels: Labels; ports: Map<string, number> }>;

  constructor(objects: readonly KubernetesObject[]) {
    this.#policies = ofKind(objects, 'NetworkPolicy');
    this.#pods = new Map(
      ofKind(objects, 'Deployment').map((deployment) => {
        const { metadata, spec } = deployment.spec.template;
        const ports = spec.containers[0].ports as { name: string; containerPort: number }[];
        const named = new Map(ports.map(({ name, containerPort }) => [name, containerPort]));
        return [componentOf(deployment), { labels: metadata.labels, ports: named }];
      }),
    );
  }

  get components(): string[] {
    return [...this.#pods.keys()];
  }

  pod(component: string): Party {
    return { pod: this.#pod(component).labels, namespace: HOME };
  }

  /** Whether a pod of the component may connect to this peer and port. */
  lets(component: string, party: Party, port: number, protocol = 'TCP'): boolean {
    return this.#allows('Egress', component, party, port, protocol);
  }

  /** Whether this peer may connect to a port of a pod of the component. */
  admits(component: string, party: Party, port: number): boolean {
    return this.#allows('Ingress', component, party, port, 'TCP');
  }

  #pod(component: string) {
    const pod = this.#pods.get(component);
    if (pod === undefined) throw new Error(`${component} is not deployed`);
    return pod;
  }

  #allows(
    way: 'Egress' | 'Ingress',
    component: string,
    party: Party,
    port: number,
    protocol: string,
  ): boolean {
    const { labels, ports: named } = this.#pod(component);
    const policies = this.#policies.filter(
      ({ spec }) => spec.policyTypes.includes(way) && selects(spec.podSelector, labels),
    );
    if (policies.length === 0) return true;
    const rules = policies.flatMap(({ spec }): Rule[] => spec[way.toLowerCase()] ?? []);
    return rules.some(({ ports, to, from }) => {
      const peers = to ?? from;
      const isPort =
        ports?.some((rule) => {
          const number = typeof rule.port === 'string' ? named.get(rule.port) : rule.port;
          return rule.protocol === protocol && number === port;
        }) ?? true;
      return isPort && (peers?.some((peer) => isPeer(peer, party)) ?? true);
    });
  }
}
