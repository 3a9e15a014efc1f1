import { contextTag } from '../asn1/der.ts';
import { DerError, readDer, readInteger, readOid, readSequence } from '../asn1/der-reader.ts';
import { type Certificate, isSelfIssued } from './certificate.ts';

const POLICIES = '2.5.29.32';
const MAPPINGS = '2.5.29.33';
const CONSTRAINTS = '2.5.29.36';
const INHIBIT_ANY = '2.5.29.54';
const ANY = '2.5.29.32.0';
/** Policies of one certificate, and its mappings; real ones have some dozens. */
const ENTRIES_MAX = 1_000;

/** RFC 5280, 6.1.1 (c) and (e) to (g). */
export interface PolicyInputs {
  /** Acceptable policies, object identifiers. Without them any policy is acceptable. */
  initial?: readonly string[] | undefined;
  requireExplicit?: boolean | undefined;
  inhibitMapping?: boolean | undefined;
  inhibitAny?: boolean | undefined;
}

/** The extensions of one certificate that concern policies (RFC 5280, 4.2.1.4, 5, 11 and 14). */
interface Stated {
  policies: ReadonlySet<string> | undefined;
  /** From a policy of the issuer to those of the subject. */
  mappings: ReadonlyMap<string, ReadonlySet<string>>;
  requireExplicit: number | undefined;
  inhibitMapping: number | undefined;
  inhibitAny: number | undefined;
}

const known = new WeakMap<Certificate, Stated>();

/** A policy at one depth of the graph. */
interface Node {
  /** What certificates below may call this policy. */
  expected: ReadonlySet<string>;
  /** Policies at the depth above. */
  parents: ReadonlySet<string>;
}

/** One depth of the graph, by policy. */
type Level = Map<string, Node>;

/**
 * Why no acceptable policy covers a path (RFC 5280, 6.1); undefined if one does or none is required. The certificates
 * are those below the anchor, the highest first. The policies are a graph with one node for each policy and depth (RFC
 * 9618), because the tree of RFC 5280 grows exponentially. Throws DerError.
 */
export function policyObjection(
  below: readonly Certificate[],
  inputs: PolicyInputs = {},
): string | undefined {
  const limit = below.length + 1;
  const counters = {
    explicit: inputs.requireExplicit ? 0 : limit,
    mapping: inputs.inhibitMapping ? 0 : limit,
    any: inputs.inhibitAny ? 0 : limit,
  };
  const root: Level = new Map([[ANY, { expected: new Set([ANY]), parents: new Set() }]]);
  let levels: Level[] = [root];
  for (const [index, certificate] of below.entries()) {
    const isLast = index === below.length - 1;
    const stated = read(certificate);
    const mayBeAny = counters.any > 0 || (!isLast && isSelfIssued(certificate));
    levels = extended(levels, stated.policies, mayBeAny);
    if (counters.explicit === 0 && levels.length === 0) return 'lies in a path without a valid policy';
    if (!isLast) {
      if (mapsAny(stated)) return 'lies in a path that maps any policy to another';
      levels = mapped(levels, stated.mappings, counters.mapping > 0);
    }
    count(counters, stated, isSelfIssued(certificate), isLast);
  }
  const isCovered =
    inputs.initial === undefined ? levels.length > 0 : reaches(levels, new Set(inputs.initial));
  return counters.explicit > 0 || isCovered ? undefined : 'lies in a path without an acceptable policy';
}

/** 6.1.3 (d) and (e). Without any policy left, the graph has no levels. */
function extended(
  levels: readonly Level[],
  policies: ReadonlySet<string> | undefined,
  mayBeAny: boolean,
): Level[] {
  const last = levels.at(-1);
  if (policies === undefined || last === undefined) return [];
  const expecting = new Map<string, Set<string>>();
  for (const [policy, { expected }] of last)
    for (const each of expected) expecting.set(each, (expecting.get(each) ?? new Set()).add(policy));
  const level: Level = new Map();
  for (const policy of policies) {
    const parents =
      policy === ANY ? undefined : (expecting.get(policy) ?? (last.has(ANY) ? new Set([ANY]) : undefined));
    if (parents !== undefined) level.set(policy, { expected: new Set([policy]), parents });
  }
  if (policies.has(ANY) && mayBeAny)
    for (const [policy, parents] of expecting)
      if (!level.has(policy)) level.set(policy, { expected: new Set([policy]), parents });
  return level.size === 0 ? [] : [...levels, level];
}

const mapsAny = ({ mappings }: Stated): boolean =>
  mappings.has(ANY) || [...mappings.values()].some((to) => to.has(ANY));

/** 6.1.4 (b). */
function mapped(levels: readonly Level[], mappings: Stated['mappings'], mayMap: boolean): Level[] {
  const last = levels.at(-1);
  if (last === undefined || mappings.size === 0) return [...levels];
  const level: Level = new Map(last);
  for (const [policy, expected] of mappings) {
    const node = last.get(policy);
    if (!mayMap) level.delete(policy);
    else if (node !== undefined) level.set(policy, { ...node, expected });
    else if (last.has(ANY)) level.set(policy, { expected, parents: new Set([ANY]) });
  }
  return level.size === 0 ? [] : [...levels.slice(0, -1), level];
}

/** 6.1.4 (h) to (j); for the last certificate 6.1.5 (a) and (b). */
function count(
  counters: { explicit: number; mapping: number; any: number },
  { requireExplicit, inhibitMapping, inhibitAny }: Stated,
  selfIssued: boolean,
  isLast: boolean,
): void {
  const next = (counter: number, limit: number | undefined) =>
    Math.min(Math.max(selfIssued && !isLast ? counter : counter - 1, 0), limit ?? Number.POSITIVE_INFINITY);
  counters.explicit = next(counters.explicit, isLast && requireExplicit !== 0 ? undefined : requireExplicit);
  counters.mapping = next(counters.mapping, inhibitMapping);
  counters.any = next(counters.any, inhibitAny);
}

/** 6.1.5 (g): whether a policy at the end comes from an acceptable one, as the authorities at the top name it. */
function reaches(levels: readonly Level[], initial: ReadonlySet<string>): boolean {
  let wanted = new Set(levels.at(-1)?.keys());
  if (wanted.has(ANY)) return initial.size > 0;
  for (const level of levels.toReversed()) {
    const above = new Set<string>();
    for (const policy of wanted) {
      const parents = level.get(policy)?.parents ?? new Set();
      if (policy !== ANY && parents.has(ANY) && initial.has(policy)) return true;
      for (const parent of parents) if (parent !== ANY) above.add(parent);
    }
    wanted = above;
  }
  return false;
}

function read(certificate: Certificate): Stated {
  const stated = known.get(certificate) ?? readStated(certificate);
  known.set(certificate, stated);
  return stated;
}

function readStated({ extensions }: Certificate): Stated {
  const contentOf = (id: string) => {
    const extension = extensions.get(id);
    return extension && readDer(extension.value);
  };
  const [policies, mappings, constraints, any] = [POLICIES, MAPPINGS, CONSTRAINTS, INHIBIT_ANY].map(
    contentOf,
  );
  const fields = constraints === undefined ? [] : readSequence(constraints);
  const skip = (number: number) => {
    const field = fields.find(({ tag }) => tag === contextTag(number, false));
    return field && certificates(field.content);
  };
  const listed = policies === undefined ? undefined : readSequence(policies);
  const pairs = mappings === undefined ? [] : readSequence(mappings);
  if ((listed?.length ?? 0) > ENTRIES_MAX || pairs.length > ENTRIES_MAX)
    throw new DerError('too many policies');
  const map = new Map<string, Set<string>>();
  for (const pair of pairs) {
    const [from, to] = readSequence(pair).map(readOid);
    if (from === undefined || to === undefined) throw new DerError('policy mapping expected');
    map.set(from, (map.get(from) ?? new Set()).add(to));
  }
  return {
    policies: listed && new Set(listed.map((each) => readOid(readSequence(each)[0]))),
    mappings: map,
    requireExplicit: skip(0),
    inhibitMapping: skip(1),
    inhibitAny: any && certificates(readInteger(any)),
  };
}

/** SkipCerts, a number of certificates. More than a path can have are as many as none. */
function certificates(content: Buffer): number {
  const [first] = content;
  if (first === undefined || first >= 0x80) throw new DerError('number of certificates expected');
  return content.length > 4 ? Number.POSITIVE_INFINITY : content.readUIntBE(0, content.length);
}
