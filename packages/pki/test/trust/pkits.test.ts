import { describe, expect, test } from '@jest/globals';
import {
  PKITS_ANCHOR,
  PKITS_ANCHOR_LIST,
  type PkitsCase,
  readPkits,
} from '@scriptorium/testing/fixtures/pkits';
import type { FaultCode } from '../../src/fault.ts';
import { CrlSigners } from '../../src/revocation/crl-signers.ts';
import { EmbeddedRevocation } from '../../src/revocation/embedded-revocation.ts';
import { judgeRevocation } from '../../src/revocation/judge-revocation.ts';
import { type Certificate, readCertificate, tryReadCertificate } from '../../src/x509/certificate.ts';
import { PathEffort, validatePath } from '../../src/x509/validate-path.ts';

const suite = readPkits();
/** Within the validity of the suite, 2010 to 2030. */
const NOW = new Date('2026-06-01T00:00:00Z');

const bytesOf = (text: string | undefined): Buffer => Buffer.from(text ?? '', 'base64');
const certificateOf = (name: string): Buffer => bytesOf(suite.certificates[name]);
const anchor = readCertificate(certificateOf(PKITS_ANCHOR));

/** All faults of a certificate: of its path, and of its revocation by the lists of the case. */
async function faultsOf(
  leaf: Certificate,
  { others, lists, policies }: Omit<PkitsCase, 'id'>,
): Promise<FaultCode[]> {
  const pool = others.flatMap((name) => tryReadCertificate(certificateOf(name)) ?? []);
  const effort = new PathEffort();
  const options = { time: NOW, usage: 'signing', policies, pool, anchors: [anchor], effort } as const;
  const { path, faults, isAnchored } = validatePath(leaf, options);
  const codes = faults.map(({ code }) => code);
  if (!isAnchored) return codes;
  const crls = [PKITS_ANCHOR_LIST, ...lists].map((name) => bytesOf(suite.lists[name]));
  const embedded = new EmbeddedRevocation();
  const signers = new CrlSigners({ pool: [anchor, ...pool], effort });
  const revocation = await judgeRevocation(path, {
    embedded: (question) => embedded.statusesOf(question, { ocsps: [], crls }, signers),
    provenTime: undefined,
    validationTime: NOW,
  });
  return [...codes, ...revocation.map(({ code }) => code)];
}

const REFUSALS: Record<NonNullable<PkitsCase['refusal']>, readonly FaultCode[]> = {
  path: ['CHAIN_INVALID', 'CHAIN_UNTRUSTED', 'CERTIFICATE_EXPIRED', 'CERTIFICATE_NOT_YET_VALID'],
  revoked: ['CERTIFICATE_REVOKED'],
  unknown: ['REVOCATION_UNKNOWN', 'REVOCATION_UNUSABLE'],
};

/** Valid paths that are not accepted here on purpose; the faults that they have instead. */
const DEVIATIONS: Record<string, readonly FaultCode[]> = {
  // RFC 3279, 2.3.2: DSA is understood, but leaves a doubt (EN 319 102-1, 5.2.6); a list signed by it does not count.
  '4.1.4': ['WEAK_ALGORITHM', 'REVOCATION_UNUSABLE'],
};
/** RFC 3279, 2.3.2, RFC 5280, 6.1.4 (e): node:crypto does not open a DSA key that inherits its parameters. */
const INHERITED_PARAMETERS = '4.1.5';

const titled = (isRefused: boolean) =>
  suite.cases
    .filter(({ refusal }) => (refusal !== undefined) === isRefused)
    .map((each): [string, string, PkitsCase] => [each.id, each.name, each]);

describe('the path validation suite of NIST', () => {
  test.each(titled(false))('accepts %s %s', async (id, _name, each) => {
    const leaf = tryReadCertificate(certificateOf(each.certificate));
    expect(leaf === undefined).toBe(id === INHERITED_PARAMETERS);
    expect(leaf === undefined ? [] : await faultsOf(leaf, each)).toEqual(DEVIATIONS[id] ?? []);
  });

  test.each(titled(true))('refuses %s %s for its own reason', async (_id, _name, each) => {
    const codes = await faultsOf(readCertificate(certificateOf(each.certificate)), each);
    expect(codes.filter((code) => REFUSALS[each.refusal ?? 'path'].includes(code))).not.toEqual([]);
  });

  test('has all its cases', () => {
    expect(suite.cases).toHaveLength(246);
  });
});
