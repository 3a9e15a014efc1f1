import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { cpuMsSince } from '@scriptorium/testing/cpu-time';
import { explicit, implicit, sequence } from '@scriptorium/testing/pki/der';
import type { Identity } from '@scriptorium/testing/pki/identity';
import { distinguishedName, extension } from '@scriptorium/testing/pki/issue-certificate';
import { createPki, type Pki } from '@scriptorium/testing/pki/pki';
import { readCertificate } from '../../src/x509/certificate.ts';
import { validatePath } from '../../src/x509/validate-path.ts';

const LEVELS = 6;
const NAMES = 140;

let pki: Pki;
beforeAll(async () => {
  pki = await createPki();
});
afterAll(() => pki.close());

const names = (of: string): Buffer[] =>
  Array.from({ length: NAMES }, (_, index) => explicit(4, distinguishedName(`${of} ${index}`)));

test('a web of cross-certificates with many names and constraints is judged in seconds', async () => {
  const alternatives = extension('2.5.29.17', sequence(...names('Also')));
  const excluded = implicit(1, sequence(...names('Not').map((base) => sequence(base))));
  const otherExtensions = [alternatives, extension('2.5.29.30', sequence(excluded), true)];
  const pool: Identity[] = [];
  let issuers = [pki.root];
  for (let level = 0; level < LEVELS; level++) {
    const keys: Identity[] = [];
    for (let key = 0; key < 2; key++) {
      // The same key with a certificate of each issuer above.
      const request = { name: `Level ${level}`, ca: {}, otherExtensions };
      const own = await pki.issue({ ...request, issuer: issuers[0] ?? pki.root });
      const others = issuers.slice(1).map((issuer) => pki.issue({ ...request, issuer, keyPair: own }));
      pool.push(own, ...(await Promise.all(others)));
      keys.push(own);
    }
    issuers = keys;
  }
  const unknown = extension('1.2.3.4', sequence(), true);
  const request = { name: 'Ada', issuer: issuers[0] ?? pki.root, otherExtensions: [alternatives, unknown] };
  const signer = readCertificate((await pki.issue(request)).der);
  const options = {
    pool: pool.map(({ der }) => readCertificate(der)),
    anchors: [readCertificate(pki.root.der)],
    time: new Date(),
    usage: 'signing' as const,
  };
  const startedAt = process.cpuUsage();
  const { faults, path } = validatePath(signer, options);
  expect(cpuMsSince(startedAt)).toBeLessThan(6_000);
  expect(path).toHaveLength(LEVELS + 2);
  expect(faults.map(({ code }) => code)).toEqual(['CHAIN_INVALID']);
});
