import { expect, test } from '@jest/globals';
import { openPackage } from '@scriptorium/shared/ooxml/open-package';
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
