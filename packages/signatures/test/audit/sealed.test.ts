import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { plainPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import { type OpensslKey, opensslKey } from '@scriptorium/testing/openssl-signing';
import { addAuditTrail } from '../../src/audit/embed-pdf.ts';
import { verify } from '../../src/verification/verify-document.ts';
import type { VerifyReply } from '../../src/verify-report.ts';
import { signed } from '../signing.ts';
import { recordOf } from './records.ts';

let key: OpensslKey;
beforeAll(async () => {
  key = await opensslKey('Ada');
});
afterAll(() => key.remove());

const unreachable = { fetch: () => Promise.reject(new Error('fetching is not expected')) };
const answerOn = (source: Buffer): Promise<VerifyReply> =>
  verify(
    { source, verification: { trust: { anchors: [] }, revocation: 'none' } },
    { now: () => new Date(), service: [], anchors: () => [], fetcher: unreachable },
  );

test('a record is not reported as sealed by a signature whose document was changed in place', async () => {
  const added = await addAuditTrail(plainPdf(), recordOf({}, plainPdf()), { pages: false });
  if (!added) throw new Error('the document cannot take an audit trail');
  const pdf = await signed(added.pdf, key);
  expect((await answerOn(pdf)).auditTrail).toMatchObject({ chain: 'intact', sealed: true });
  const changed = Buffer.from(pdf);
  changed.write('%PDF-1.3');
  expect(await answerOn(changed)).toMatchObject({
    verdict: 'invalid',
    auditTrail: { chain: 'intact', sealed: false },
  });
});
