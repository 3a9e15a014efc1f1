import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { replaceIn, resign, SIGNATURE } from '../docx/resigned.ts';
import { DocxLab, evidenceOf, objectionsTo } from './docx/lab.ts';

let lab: DocxLab;

beforeAll(() => {
  lab = new DocxLab();
});

afterAll(() => lab.close());

describe('the certificate of the signer', () => {
  const certificateOf = (key: string) => lab.keys.signer(key).certificates[0].raw.toString('base64');

  test('is the one that the signature names, regardless of earlier ones', async () => {
    const swapped = await lab.attacked((files) =>
      replaceIn(
        files,
        SIGNATURE,
        '<X509Data>',
        `<X509Data><X509Certificate>${certificateOf('P-256')}</X509Certificate>`,
      ),
    );
    expect(await objectionsTo(swapped)).toEqual([]);
    expect((await evidenceOf(swapped))[0]?.core?.signer?.x509.subject).toContain('CN=rsa signer');
  });

  test('cannot be swapped for another of the same key', async () => {
    const own = lab.keys.certificateOfSameKey('rsa');
    const swapped = await lab.attacked((files) =>
      replaceIn(files, SIGNATURE, certificateOf('rsa'), own.raw.toString('base64')),
    );
    expect(await objectionsTo(swapped)).toEqual(['SIGNING_CERTIFICATE_MISMATCH']);
    const both = await lab.attacked((files) =>
      replaceIn(
        files,
        SIGNATURE,
        '<X509Data>',
        `<X509Data><X509Certificate>${own.raw.toString('base64')}</X509Certificate>`,
      ),
    );
    expect((await evidenceOf(both))[0]?.core).toMatchObject({
      namesSigner: 'yes',
      signer: { der: lab.keys.signer('rsa').certificates[0].raw },
    });
  });

  test('cannot be swapped for that of another key', async () => {
    const swapped = await lab.attacked((files) =>
      replaceIn(files, SIGNATURE, certificateOf('rsa'), certificateOf('P-256')),
    );
    expect(await objectionsTo(swapped)).toEqual(['SIGNATURE_INVALID', 'SIGNING_CERTIFICATE_MISMATCH']);
  });

  test('must be named by serial number and digest', async () => {
    const changes: ((xml: string) => string)[] = [
      // Serial numbers are random, so a fixed digit may be the one that stands there.
      (xml) => xml.replace(/(?<=<X509SerialNumber>)\d/, (digit) => (digit === '9' ? '8' : '9')),
      (xml) =>
        xml.replace(/(<xd:CertDigest>.*?<DigestValue>)(.)/, (_, before: string, first: string) =>
          before.concat(first === 'A' ? 'B' : 'A'),
        ),
      (xml) => xml.replace(/<xd:IssuerSerialV2>[^<]*/, '<xd:IssuerSerialV2>MAA='),
    ];
    for (const change of changes)
      expect(
        await objectionsTo(await lab.attacked((files, signer) => resign(files, signer, change))),
      ).not.toEqual([]);
  });

  test('is reported as missing if it is not in the document', async () => {
    const bytes = await lab.attacked((files) => replaceIn(files, SIGNATURE, /<KeyInfo>.*<\/KeyInfo>/, ''));
    expect(await objectionsTo(bytes)).toEqual(['SIGNER_CERTIFICATE_MISSING']);
  });

  test('may be unnamed in a signature without XAdES, with a notice', async () => {
    const bytes = await lab.attacked((files, signer) =>
      resign(files, signer, (xml) =>
        xml
          .replace(/<Object><xd:QualifyingProperties.*<\/Object>/, '')
          .replace(/<Reference Id="idPropertiesReference".*?<\/Reference>/, ''),
      ),
    );
    expect(await objectionsTo(bytes)).toEqual([]);
    const [signature] = await evidenceOf(bytes);
    expect(signature?.format).toBe('XMLDSig');
    expect(signature?.faults.map(({ code }) => code)).toEqual(['SIGNING_CERTIFICATE_ABSENT']);
  });

  test('must be named in a signature with XAdES', async () => {
    const bytes = await lab.attacked((files, signer) =>
      resign(files, signer, (xml) => xml.replace(/<xd:SigningCertificate>.*<\/xd:SigningCertificateV2>/, '')),
    );
    expect(await objectionsTo(bytes)).toEqual(['SIGNING_CERTIFICATE_REQUIRED']);
  });
});
