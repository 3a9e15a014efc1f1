import { expect, test } from '@jest/globals';
import { DOCX_MAIN_TYPE, openPackage } from '@scriptorium/ooxml/package';
import { relationshipsXml } from '@scriptorium/testing/fixtures/hostile/document';
import { p, run, sdt, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { fill, text } from './filling.ts';

const BODY = p(sdt({ tag: 'x' }, run('old')));
const VALUE = [text({ id: 'x' }, 'new')];

test.each([
  ['a template', 'application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml'],
  ['a template with macros', 'application/vnd.ms-word.template.macroEnabledTemplate.main+xml'],
  ['a document with macros', 'application/vnd.ms-word.document.macroEnabled.main+xml'],
])('filling %s returns a plain document, also without a filled field', async (_, mainType) => {
  for (const fields of [VALUE, []]) {
    const { bytes } = await fill(templateOf(BODY, { mainType }), fields);
    const document = await openPackage(bytes);
    expect(document.contentTypes.typeOf(document.main.name)).toBe(DOCX_MAIN_TYPE);
  }
});

test('filling removes macros and reports it', async () => {
  const source = templateOf(BODY, {
    mainType: 'application/vnd.ms-word.document.macroEnabled.main+xml',
    links: [
      {
        id: 'rIdVba',
        kind: 'http://schemas.microsoft.com/office/2006/relationships/vbaProject',
        target: 'vbaProject.bin',
      },
    ],
    parts: [{ name: 'word/vbaProject.bin', data: 'code', type: 'application/vnd.ms-office.vbaProject' }],
  });
  const { bytes, report } = await fill(source, VALUE);
  expect(report.macrosRemoved).toBe(true);
  expect(bytes.toString('latin1')).not.toMatch(/vbaProject/);
});

test('filling removes digital signatures and reports it, and a document without a filled field keeps them', async () => {
  const digital = 'http://schemas.openxmlformats.org/package/2006/relationships/digital-signature';
  const source = templateOf(BODY, {
    packageLinks: [{ id: 'rIdSig', kind: `${digital}/origin`, target: '_xmlsignatures/origin.sigs' }],
    parts: [
      {
        name: '_xmlsignatures/origin.sigs',
        data: '',
        type: 'application/vnd.openxmlformats-package.digital-signature-origin',
      },
      {
        name: '_xmlsignatures/_rels/origin.sigs.rels',
        data: relationshipsXml([{ id: 'rId1', kind: `${digital}/signature`, target: 'sig1.xml' }]),
      },
      {
        name: '_xmlsignatures/sig1.xml',
        data: '<Signature xmlns="http://www.w3.org/2000/09/xmldsig#"/>',
        type: 'application/vnd.openxmlformats-package.digital-signature-xmlsignature+xml',
      },
    ],
  });
  const filled = await fill(source, VALUE);
  expect(filled.report.signaturesRemoved).toBe(true);
  expect(filled.bytes.toString('latin1')).not.toContain('xmlsignatures');
  const untouched = await fill(source, []);
  expect(untouched.report.signaturesRemoved).toBe(false);
  expect(untouched.bytes).toEqual(source);
});
