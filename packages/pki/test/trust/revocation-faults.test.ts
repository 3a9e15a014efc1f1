import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { testInWhole } from '@scriptorium/testing/extent';
import type { CrlFault } from '@scriptorium/testing/pki/crl';
import { fetcherTo, withFault } from '@scriptorium/testing/pki/fetching';
import type { Identity } from '@scriptorium/testing/pki/identity';
import type { OcspFault } from '@scriptorium/testing/pki/ocsp';
import { createPki, type Pki } from '@scriptorium/testing/pki/pki';
import { causeOf, failureOf } from '@scriptorium/testing/refusal';
import { collectValidationData } from '../../src/revocation/validation-data.ts';
import { collectFrom } from './collecting.ts';

let pki: Pki;
let signer: Identity;
beforeAll(async () => {
  pki = await createPki();
  signer = await pki.issue({ name: 'Ada Lovelace' });
});
afterAll(() => pki.close());

const collect = (certificates: Buffer[], authorities = pki) => collectFrom(authorities, certificates);

describe('where OCSP fails', () => {
  test.each<[OcspFault, RegExp]>([
    ['down', /other side closed|ECONNRESET|socket/],
    ['garbage', /tag|length/],
    ['unknown', /does not know the certificate/],
    ['tryLater', /tryLater \(3\)/],
    ['stale', /out of date/],
    ['future', /valid only from 20/],
    ['wrongSignature', /signature is not that of the responder/],
    ['strangeSigner', /did not certify the responder/],
    ['wrongUsage', /does not permit OCSP signing/],
    ['otherCertificate', /for another certificate/],
  ])('with the fault %s, the CRL is used; without a CRL the status is unavailable', async (fault, cause) => {
    const unlisted = await pki.issue({ name: 'Charles Babbage', places: { crl: [] } });
    await withFault(pki, { ocsp: fault }, async () => {
      const data = await collect(signer.chain);
      expect(data.ocsps).toHaveLength(0);
      expect(data.crls).toHaveLength(2);
      const failure = await failureOf(collect(unlisted.chain));
      expect(failure.code).toBe('REVOCATION_UNAVAILABLE');
      expect(failure.message).toMatch(
        /revocation status of the certificate of “Charles Babbage” is not available/,
      );
      expect(causeOf(failure)).toMatch(cause);
      expect(failure.message).not.toContain('127.0.0.1');
    });
  });

  test.each<[CrlFault, RegExp]>([
    ['down', /other side closed|ECONNRESET|socket/],
    ['garbage', /tag|length/],
    ['stale', /out of date/],
    ['future', /valid only from 20/],
    ['wrongSignature', /signature is not that of the issuer/],
    ['otherSigner', /signature is not that of the issuer/],
    ['otherIssuer', /from another issuer/],
    ['authoritiesOnly', /does not cover the certificate/],
    ['someReasons', /does not cover the certificate/],
    ['delta', /a delta CRL/],
    ['huge', /too large/],
  ])('and the CRL has the fault %s, the status is unavailable', async (fault, cause) => {
    const failure = await withFault(pki, { ocsp: 'down', crl: fault }, () =>
      failureOf(collect([signer.der, pki.intermediate.der])),
    );
    expect(failure.code).toBe('REVOCATION_UNAVAILABLE');
    expect(causeOf(failure)).toMatch(cause);
  });

  test('because the responder is revoked, the CRL is used', async () => {
    const authorities = await createPki({ responders: 'checked' });
    try {
      const leaf = await authorities.issue({ name: 'Ada Lovelace' });
      const good = await collect(leaf.chain, authorities);
      expect(good.ocsps).toHaveLength(2);
      expect(good.crls).toHaveLength(2);
      authorities.revoke(authorities.responderOf(authorities.intermediate));
      const data = await collect(leaf.chain, authorities);
      expect(data.ocsps).toHaveLength(1);
      expect(data.crls).toHaveLength(2);
      const alone = await authorities.issue({ name: 'Grace Hopper', places: { crl: [] } });
      const failure = await failureOf(collect(alone.chain, authorities));
      expect(failure.code).toBe('REVOCATION_UNAVAILABLE');
      expect(causeOf(failure)).toMatch(/certificate of the responder is revoked/);
    } finally {
      await authorities.close();
    }
  });

  testInWhole(
    'by timeout, like everything else, the collection ends',
    async () => {
      const { origin } = new URL(pki.tsaUrl);
      const both = (end: string) => [1, 2].map(() => `${origin}/${pki.intermediate.serialNumber}/${end}`);
      const places = { ocsp: both('ocsp'), crl: both('crl'), caIssuers: [] };
      const leaf = await pki.issue({ name: 'Charles Babbage', places });
      const stranded = await pki.issue({ name: 'Grace Hopper', places: { caIssuers: both('cer') } });
      const failures = await withFault(pki, { ocsp: 'slow', crl: 'slow', caIssuers: 'slow' }, () =>
        Promise.all([
          failureOf(collect([leaf.der, pki.intermediate.der, pki.root.der])),
          failureOf(collect([stranded.der])),
        ]),
      );
      expect(failures.map(({ code }) => code)).toEqual(Array(2).fill('REVOCATION_UNAVAILABLE'));
    },
    60_000,
  );

  test('by timeout, the collection ends when the caller aborts', async () => {
    const controller = new AbortController();
    const reason = new Error('the caller has left');
    await withFault(pki, { ocsp: 'slow' }, async () => {
      const collecting = collectValidationData(signer.chain, fetcherTo(pki), controller.signal);
      setTimeout(() => controller.abort(reason), 50);
      await expect(collecting).rejects.toBe(reason);
    });
  });
});
