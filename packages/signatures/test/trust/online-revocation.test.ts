import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readCertificate } from '@scriptorium/pki/certificates';
import type { ValidationData } from '@scriptorium/pki/revocation';
import { pathsSince, withFault } from '@scriptorium/testing/pki/fetching';
import type { Identity, IssueRequest } from '@scriptorium/testing/pki/identity';
import { createPki, type Pki } from '@scriptorium/testing/pki/pki';
import type { Trust } from '../../src/verification/checks/inquiry.ts';
import { collectFrom } from './collecting.ts';
import { read } from './paths.ts';
import {
  documentOf,
  minutesAgo,
  NOTHING,
  signatureBy,
  stampBy,
  trustIn,
  tryOne,
  validateAll,
} from './trials.ts';

let pki: Pki;
beforeAll(async () => {
  pki = await createPki();
});
afterAll(() => pki.close());

const signerWith = (request: Partial<IssueRequest> = {}) => pki.issue({ name: 'Ada Lovelace', ...request });
const judge = (signer: Identity, data: ValidationData, change: Partial<Trust> = {}) =>
  tryOne(documentOf([signatureBy(signer)], data), trustIn(pki, change));

describe('authorities in online mode', () => {
  const online = { revocation: 'online' } as const;

  test('are queried once for each signer without revocation data in the document', async () => {
    const signer = await signerWith();
    const since = pki.visits.length;
    const trust = trustIn(pki, online);
    expect((await tryOne(documentOf([signatureBy(signer)]), trust)).codes).toEqual([]);
    expect(pki.visits.slice(since)).toHaveLength(2);
    const revoked = await signerWith();
    pki.revoke(revoked);
    const timestamps = [await stampBy(pki.tsa, minutesAgo(10))];
    const stamped = documentOf([signatureBy(revoked, { timestamps })]);
    expect((await tryOne(stamped, trust)).codes).toEqual(['SIGNED_AFTER_REVOCATION']);
  });

  test('return the issuers missing in a document', async () => {
    const signer = await signerWith();
    const alone = signatureBy(signer, { certificates: read(signer) });
    expect((await tryOne(documentOf([alone]), trustIn(pki))).codes).toContain('CHAIN_UNTRUSTED');
    expect((await tryOne(documentOf([alone]), trustIn(pki, online))).codes).toEqual([]);
  });

  test('are queried if the responses in the document are too old', async () => {
    const signer = await signerWith();
    const data = await collectFrom(pki, signer.chain);
    pki.revoke(signer);
    expect((await judge(signer, data)).codes).toEqual([]);
    expect((await judge(signer, data, online)).codes).toEqual(['CERTIFICATE_REVOKED']);
  });

  test.each(['down', 'tryLater', 'stale', 'unknown'] as const)(
    'without a usable response (%s) leave the verdict undecided',
    async (ocsp) => {
      const signer = await signerWith();
      const { codes, faults } = await withFault(pki, { ocsp, crl: 'down' }, () =>
        judge(signer, NOTHING, online),
      );
      expect(codes).toEqual(['REVOCATION_UNAVAILABLE', 'REVOCATION_UNAVAILABLE']);
      expect(faults.map(({ message }) => message).join()).not.toContain('127.0.0.1');
    },
  );

  test('may sign their CRL by a separate key, if the document has its certificate', async () => {
    const { name } = pki.intermediate;
    const key = await pki.issue({ name, issuer: pki.root, ca: {}, keyUsage: ['cRLSign'] });
    const crl = [`http://${pki.fetchAllow}/${key.serialNumber}/crl`];
    const signer = await signerWith({ places: { ocsp: [], crl } });
    expect((await judge(signer, NOTHING, online)).codes).toEqual(['REVOCATION_UNAVAILABLE']);
    const data = { ...NOTHING, certificates: [key.der] };
    expect((await judge(signer, data, online)).codes).toEqual([]);
    pki.revoke({ ...signer, issuer: key });
    expect((await judge(signer, data, online)).codes).toEqual(['CERTIFICATE_REVOKED']);
  });

  test('are not queried if a certificate does not name them', async () => {
    const signer = await signerWith({ places: { ocsp: [], crl: [] } });
    const anchors = [readCertificate(pki.intermediate.der)];
    expect((await judge(signer, NOTHING, { ...online, anchors })).codes).toEqual(['REVOCATION_UNKNOWN']);
  });

  test('that do not answer are abandoned when time runs out', async () => {
    const signer = await signerWith();
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error('the time ran out')), 200);
    const { codes } = await withFault(pki, { ocsp: 'slow', crl: 'slow' }, () =>
      judge(signer, NOTHING, { ...online, signal: controller.signal }),
    );
    expect(codes).toEqual(['REVOCATION_UNAVAILABLE', 'REVOCATION_UNAVAILABLE']);
  });

  test('are queried for the issuers of a few unknown certificates only', async () => {
    const strangers = await Promise.all(Array.from({ length: 12 }, () => signerWith()));
    const document = documentOf(
      strangers.map((signer, index) =>
        signatureBy(signer, { revision: index + 1, certificates: read(signer) }),
      ),
    );
    const since = pki.visits.length;
    const outcomes = await validateAll(document, trustIn(pki, { ...online, anchors: [] }));
    expect(outcomes.map(({ codes }) => codes.join())).toEqual(strangers.map(() => 'CHAIN_UNTRUSTED'));
    expect(pathsSince(pki, since).length).toBeLessThanOrEqual(16);
  });
});
