import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Identity } from '@scriptorium/testing/pki/identity';
import { createPki, type Pki } from '@scriptorium/testing/pki/pki';
import { context, der, octetString, oid, sequence, utf8String } from '../../src/asn1/der.ts';
import { OID } from '../../src/asn1/oids.ts';
import type { CmsReading } from '../../src/cms/signed-core.ts';
import { streamed } from '../streamed-ber.ts';
import { attribute, buildCms, INTACT, type Recipe, read, signingCertificate } from './build-cms.ts';

let pki: Pki;
let ada: Identity;
beforeAll(async () => {
  pki = await createPki();
  ada = await pki.issue({ name: 'Ada' });
});
afterAll(() => pki.close());

const made = (recipe: Partial<Recipe> = {}): CmsReading => read(buildCms({ signer: ada, ...recipe }));

test('the reader returns the CRLs and OCSP responses in a CMS and skips unreadable ones', () => {
  const list = pki.crlOf(pki.intermediate);
  const answer = sequence(
    der(0x0a, Buffer.of(0)),
    context(0, sequence(oid(OID.basicOcspResponse), octetString(sequence()))),
  );
  const { core, faults } = made({
    revocationInfo: [
      list,
      context(1, oid(OID.ocspResponse), answer),
      context(1, oid(OID.basicOcspResponse), sequence()),
      context(1, oid('1.2.3'), sequence()),
      context(1),
    ],
    attributes: (usual) => [
      ...Object.values(usual),
      attribute(
        OID.revocationInfoArchival,
        sequence(context(0, sequence(list, list)), context(1, sequence(answer)), context(2, sequence())),
      ),
    ],
  });
  expect(faults).toEqual([]);
  expect(core?.validationData).toEqual({
    certificates: [],
    crls: [list, list, list],
    ocsps: [answer, answer, answer],
  });
  const unreadable = made({
    attributes: (usual) => [...Object.values(usual), attribute(OID.revocationInfoArchival, utf8String('x'))],
  });
  expect(unreadable).toMatchObject({ core: INTACT, faults: [] });
});

test('a signature with CRLs and OCSP responses is valid in streamed BER', () => {
  const list = pki.crlOf(pki.intermediate);
  const cms = buildCms({
    signer: ada,
    revocationInfo: [list],
    attributes: (usual) => [...Object.values(usual), signingCertificate(1, ada)],
  });
  const reading = read(streamed(cms));
  expect(reading).toMatchObject({ core: { ...INTACT, namesSigner: 'yes' }, faults: [] });
  expect(reading.core?.validationData.crls).toEqual([list]);
});
