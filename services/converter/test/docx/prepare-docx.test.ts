import { expect, test } from '@jest/globals';
import { openPackage } from '@scriptorium/shared/ooxml/open-package';
import { DOCX_MAIN_TYPE, packageEntries } from '@scriptorium/shared/testing/fixtures/docx';
import { zip } from '@scriptorium/shared/testing/fixtures/zip';
import { prepareDocx } from '../../src/docx/prepare-docx.ts';
import { del, ins, p, run, WHO } from './markup.ts';
import { documentOf } from './resolved.ts';

test('a field that only the final text has is sanitised like any other', async () => {
  const mark = (type: string) => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
  const instruction = (text: string) => `<w:r><w:instrText>${text}</w:instrText></w:r>`;
  const deleted = `<w:del ${WHO}><w:r><w:delInstrText>X</w:delInstrText></w:r></w:del>`;
  const body = p(
    `${mark('begin')}${instruction('INCLUDE')}${deleted}${instruction('TEXT "/etc/hosts"')}${mark('separate')}${run('shown')}${mark('end')}`,
  );
  const { bytes, facts } = await prepareDocx(documentOf(body), { revisions: 'final', updateFields: 'none' });
  expect(facts.dropped).toEqual([
    { what: 'field', part: 'word/document.xml', detail: 'INCLUDETEXT "/etc/hosts"' },
  ]);
  const { main } = await openPackage(bytes);
  expect(main.xml).not.toContain('INCLUDE');
  expect(main.xml).toContain('shown');
});

test('changes are counted whether they are shown or not', async () => {
  const document = documentOf(p(ins(run('a')) + del('b')));
  for (const revisions of ['markup', 'final', 'original'] as const) {
    const { facts } = await prepareDocx(document, { revisions, updateFields: 'none' });
    expect(facts.revisions).toEqual({ insertions: 1, deletions: 1, moves: 0, formatting: 0 });
  }
});

test('a document inside of the document loses its tracked changes too', async () => {
  const OFFICE = 'http://schemas.openxmlformats.org';
  const relationship = `<Relationship Id="rId1" Type="${OFFICE}/officeDocument/2006/relationships/aFChunk" Target="chunk.docx"/>`;
  const entries = packageEntries({
    parts: [
      {
        name: 'word/_rels/document.xml.rels',
        data: `<Relationships xmlns="${OFFICE}/package/2006/relationships">${relationship}</Relationships>`,
      },
      { name: 'word/chunk.docx', data: documentOf(p(run('kept') + del('gone'))) },
    ],
  }).map((entry) =>
    entry.name === '[Content_Types].xml'
      ? {
          ...entry,
          data: String(entry.data).replace(
            '<Override',
            `<Default Extension="docx" ContentType="${DOCX_MAIN_TYPE}"/><Override`,
          ),
        }
      : entry,
  );
  const { bytes } = await prepareDocx(zip(entries), { revisions: 'final', updateFields: 'none' });
  const chunk = (await openPackage(bytes)).parts.get('word/chunk.docx');
  const { main } = await openPackage(chunk?.bytes ?? Buffer.alloc(0));
  expect(main.xml).toContain('kept');
  expect(main.xml).not.toContain('gone');
});
