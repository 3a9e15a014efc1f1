import { replaceIn, resign, SIGNATURE } from '../../docx/resigned.ts';
import { type Attack, DSIG } from './changes.ts';

/** Attacks on XML signatures: wrapping, and differences between parsers. */
export const MARKUP: Attack[] = [
  [
    'the Manifest is removed',
    (files) => replaceIn(files, SIGNATURE, /<Manifest>.*<\/Manifest>/, ''),
    ['XML_SIGNATURE_INVALID'],
  ],
  [
    'the Manifest is emptied by the signer',
    (files, signer) =>
      resign(files, signer, (xml) => xml.replace(/<Manifest>.*<\/Manifest>/, '<Manifest></Manifest>')),
    ['XML_SIGNATURE_INVALID'],
  ],
  [
    'the signed object is moved, and another takes its place',
    (files) => {
      const [whole = ''] =
        /<Object Id="idPackageObject">.*?<\/Object>/.exec(files.get(SIGNATURE)?.toString() ?? '') ?? [];
      const evil = whole
        .replace('idPackageObject', 'idOther')
        .replaceAll('<DigestValue>', '<DigestValue>AAAA');
      replaceIn(files, SIGNATURE, whole, `${evil}<Object>${whole}</Object>`);
    },
    ['XML_SIGNATURE_INVALID'],
  ],
  [
    'an unreferenced object with its own Manifest is added',
    (files) =>
      replaceIn(
        files,
        SIGNATURE,
        '<Object Id="idPackageObject">',
        '<Object><Manifest></Manifest></Object><Object Id="idPackageObject">',
      ),
    ['XML_SIGNATURE_INVALID'],
  ],
  [
    'two objects have the same id',
    (files) =>
      replaceIn(
        files,
        SIGNATURE,
        '<Object Id="idPackageObject">',
        '<Object Id="idPackageObject"></Object><Object Id="idPackageObject">',
      ),
    ['XML_SIGNATURE_INVALID'],
  ],
  [
    'an id is repeated in another spelling',
    (files) => replaceIn(files, SIGNATURE, '<KeyInfo>', '<KeyInfo ID="idPackageObject">'),
    ['XML_SIGNATURE_INVALID'],
  ],
  [
    'there are two SignedInfo elements',
    (files) => replaceIn(files, SIGNATURE, '<SignatureValue>', '<SignedInfo></SignedInfo><SignatureValue>'),
    ['XML_SIGNATURE_INVALID'],
  ],
  [
    'the whole signature is wrapped in another',
    (files) => {
      const xml =
        files
          .get(SIGNATURE)
          ?.toString()
          .replace(/<\?xml.*?\?>\s*/, '') ?? '';
      files.set(
        SIGNATURE,
        Buffer.from(
          xml.replace('<KeyInfo>', () => `<Object>${xml.replaceAll('Id="', 'Id="x')}</Object><KeyInfo>`),
        ),
      );
    },
    ['XML_SIGNATURE_INVALID'],
  ],
  [
    'a comment splits a digest',
    (files) => replaceIn(files, SIGNATURE, /(?<=<DigestValue>)(?=.)/, '<!--AAAA-->'),
    ['XML_SIGNATURE_INVALID'],
  ],
  [
    'SignedInfo contains a processing instruction',
    (files) => replaceIn(files, SIGNATURE, '<SignedInfo>', '<SignedInfo><?x y?>'),
    ['XML_SIGNATURE_INVALID'],
  ],
  [
    'a reference leads outside the package',
    (files, signer) =>
      resign(files, signer, (xml) => xml.replace('URI="#idOfficeObject"', 'URI="https://example.org/"')),
    ['XML_SIGNATURE_INVALID'],
  ],
  [
    'a reference leads to the whole part',
    (files, signer) => resign(files, signer, (xml) => xml.replace('URI="#idOfficeObject"', 'URI=""')),
    ['XML_SIGNATURE_INVALID'],
  ],
  [
    'the Manifest names a part outside the package',
    (files, signer) =>
      resign(files, signer, (xml) =>
        xml.replace(/URI="\/word\/styles.xml\?/, 'URI="https://example.org/styles.xml?'),
      ),
    ['XML_SIGNATURE_INVALID'],
  ],
  [
    'the Manifest names a part twice',
    (files, signer) =>
      resign(files, signer, (xml) =>
        xml.replace(/<Reference URI="\/word\/styles.xml.*?<\/Reference>/, '$&$&'),
      ),
    ['XML_SIGNATURE_INVALID'],
  ],
  [
    'a part is transformed by XSLT',
    (files, signer) =>
      resign(files, signer, (xml) =>
        xml.replace(
          /(<Reference URI="\/word\/styles.xml[^>]*>)/,
          '$1<Transforms><Transform Algorithm="http://www.w3.org/TR/1999/REC-xslt-19991116"></Transform></Transforms>',
        ),
      ),
    ['XML_SIGNATURE_INVALID'],
  ],
  [
    'the relationships transform is applied to the text, which it empties',
    (files, signer) =>
      resign(files, signer, (xml) =>
        xml.replace(
          /(<Reference URI="\/word\/document.xml[^>]*>)/,
          '$1<Transforms><Transform Algorithm="http://schemas.openxmlformats.org/package/2006/RelationshipTransform"></Transform></Transforms>',
        ),
      ),
    ['XML_SIGNATURE_INVALID'],
  ],
  [
    'the method is a MAC with a public key value',
    (files) => replaceIn(files, SIGNATURE, 'xmldsig-more#rsa-sha256', 'xmldsig-more#hmac-sha256'),
    ['XML_SIGNATURE_INVALID'],
  ],
  [
    'a transform of SignedInfo is unknown',
    (files) => replaceIn(files, SIGNATURE, /(?<=<Transforms><Transform Algorithm=")[^"]*/, 'urn:identity'),
    ['XML_SIGNATURE_INVALID'],
  ],
  [
    'SignedInfo has another canonicalization',
    (files) => replaceIn(files, SIGNATURE, /(?<=<CanonicalizationMethod Algorithm=")[^"]*/, 'urn:none'),
    ['XML_SIGNATURE_INVALID'],
  ],
  [
    'the properties are about another signature',
    (files) =>
      replaceIn(files, SIGNATURE, 'Target="#idPackageSignature"><xd:Signed', 'Target="#idOther"><xd:Signed'),
    ['XML_SIGNATURE_INVALID'],
  ],
  [
    'its signed objects are changed',
    (files) => replaceIn(files, SIGNATURE, '<SignatureComments>', '<SignatureComments>paid'),
    ['DIGEST_MISMATCH'],
  ],
  [
    'the digest of a part is changed with the part',
    (files) => {
      replaceIn(files, 'word/styles.xml', '/>', ' />');
      replaceIn(files, SIGNATURE, /(?<=styles\+xml">.*?<DigestValue>)[^<]*/, 'AAAA');
    },
    ['DIGEST_MISMATCH'],
  ],
  [
    'the value is changed',
    (files) => replaceIn(files, SIGNATURE, /<SignatureValue>..../, '<SignatureValue>AAAA'),
    ['SIGNATURE_INVALID'],
  ],
  [
    'the value is removed',
    (files) => replaceIn(files, SIGNATURE, /<SignatureValue>[^<]*/, '<SignatureValue>'),
    ['SIGNATURE_INVALID'],
  ],
  [
    'the part is not a signature',
    (files) => files.set(SIGNATURE, Buffer.from(`<Signature xmlns="${DSIG}"/>`)),
    ['XML_SIGNATURE_INVALID'],
  ],
  ['its part is missing', (files) => files.delete(SIGNATURE), ['XML_SIGNATURE_INVALID']],
];
