import { describe, expect, test } from '@jest/globals';
import { openPackage } from '@scriptorium/ooxml/package';
import { testInWhole } from '@scriptorium/testing/extent';
import { DOCX_MAIN_TYPE, packageEntries } from '@scriptorium/testing/fixtures/docx';
import { del, ins, p, run, WHO } from '@scriptorium/testing/fixtures/tracked-changes';
import { templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { zip } from '@scriptorium/testing/fixtures/zip';
import { prepareDocx } from '../../src/sources/docx.ts';

test('a field that only exists in the final text is sanitized like any other', async () => {
  const mark = (type: string) => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
  const instruction = (text: string) => `<w:r><w:instrText>${text}</w:instrText></w:r>`;
  const deleted = `<w:del ${WHO}><w:r><w:delInstrText>X</w:delInstrText></w:r></w:del>`;
  const body = p(
    `${mark('begin')}${instruction('INCLUDE')}${deleted}${instruction('TEXT "/etc/hosts"')}${mark('separate')}${run('shown')}${mark('end')}`,
  );
  const { bytes, dropped } = await prepareDocx(templateOf(body), {
    revisions: 'final',
    updateFields: 'none',
  });
  expect(dropped).toEqual([{ what: 'field', part: 'word/document.xml', detail: 'INCLUDETEXT "/etc/hosts"' }]);
  const { main } = await openPackage(bytes);
  expect(main.xml).not.toContain('INCLUDE');
  expect(main.xml).toContain('shown');
});

test('changes are counted, whether they are displayed or not', async () => {
  const document = templateOf(p(ins(run('a')) + del('b')));
  for (const revisions of ['markup', 'final', 'original'] as const) {
    const { facts } = await prepareDocx(document, { revisions, updateFields: 'none' });
    expect(facts.revisions).toEqual({ insertions: 1, deletions: 1, moves: 0, formatting: 0 });
  }
});

test('a table gets a column of its grid for each cell, without which LibreOffice drops cells', async () => {
  const cells = ['a', 'b', 'c'].map(
    (text) => `<w:tc><w:tcPr><w:tcW w:w="0" w:type="auto"/></w:tcPr>${p(run(text))}</w:tc>`,
  );
  const grid = '<w:tblGrid><w:gridCol w:w="2000"/></w:tblGrid>';
  const document = templateOf(`<w:tbl><w:tblPr/>${grid}<w:tr>${cells.join('')}</w:tr></w:tbl>${p('')}`);
  const { bytes } = await prepareDocx(document, { revisions: 'final', updateFields: 'none' });
  expect((await openPackage(bytes)).main.xml).toContain(
    `<w:tblGrid>${'<w:gridCol w:w="2000"/>'.repeat(3)}</w:tblGrid>`,
  );
});

const OFFICE = 'http://schemas.openxmlformats.org';

/** A document with these documents inside. */
function documentHolding(chunks: readonly Buffer[]): Buffer {
  const type = `${OFFICE}/officeDocument/2006/relationships/aFChunk`;
  const relationships = chunks.map(
    (_, index) => `<Relationship Id="rId${index}" Type="${type}" Target="chunk${index}.docx"/>`,
  );
  const entries = packageEntries({
    parts: [
      {
        name: 'word/_rels/document.xml.rels',
        data: `<Relationships xmlns="${OFFICE}/package/2006/relationships">${relationships.join('')}</Relationships>`,
      },
      ...chunks.map((data, index) => ({ name: `word/chunk${index}.docx`, data })),
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
  return zip(entries);
}

async function chunkOf(bytes: Buffer): Promise<string> {
  const chunk = (await openPackage(bytes)).parts.get('word/chunk0.docx');
  return (await openPackage(chunk?.bytes ?? Buffer.alloc(0))).main.xml ?? '';
}

describe('a document inside a document', () => {
  test('loses its tracked changes too', async () => {
    const document = documentHolding([templateOf(p(run('kept') + del('gone')))]);
    const { bytes } = await prepareDocx(document, { revisions: 'final', updateFields: 'none' });
    const xml = await chunkOf(bytes);
    expect(xml).toContain('kept');
    expect(xml).not.toContain('gone');
  });

  test('keeps its last dates, which are counted together with those outside', async () => {
    const date = `<w:fldSimple w:instr="DATE">${run('Дата')}</w:fldSimple>`;
    const document = documentHolding([templateOf(p(date + ins(run('new'))))]);
    const { bytes, facts } = await prepareDocx(document, { revisions: 'markup', updateFields: 'none' });
    expect(await chunkOf(bytes)).not.toContain('DATE');
    expect(facts).toMatchObject({
      frozenFields: { DATE: 1 },
      scripts: ['Cyrillic'],
      revisions: { insertions: 1 },
    });
  });

  test('may have more removed items than a call takes arguments', async () => {
    const many = templateOf(p('<w:fldSimple w:instr="DDE x"/>'.repeat(200_000)));
    const { dropped } = await prepareDocx(documentHolding([many]), {
      revisions: 'markup',
      updateFields: 'none',
    });
    expect(dropped).toHaveLength(200_000);
  });

  testInWhole('counts toward the total bounds before its changes are resolved', async () => {
    const deleted = templateOf(p(del('x').repeat(200_000)));
    const document = documentHolding(Array.from({ length: 6 }, () => deleted));
    await expect(prepareDocx(document, { revisions: 'final', updateFields: 'none' })).rejects.toMatchObject({
      code: 'DOCUMENT_TOO_COMPLEX',
    });
  });
});

describe('a column break at the end of a paragraph', () => {
  const columnBreak = '<w:r><w:br w:type="column"/></w:r>';
  const mainOf = async (body: string) =>
    (
      await openPackage(
        (
          await prepareDocx(templateOf(body), { revisions: 'markup', updateFields: 'none' })
        ).bytes,
      )
    ).main.xml;

  test('begins the next paragraph, since the mark of its own stays in the column', async () => {
    const moved = await mainOf(
      `<w:p>${columnBreak}</w:p><w:bookmarkStart w:id="0" w:name="b"/><w:p><w:pPr/>${columnBreak}</w:p>${p(run('a'))}`,
    );
    expect(moved).toContain(
      `<w:p><w:r></w:r></w:p><w:bookmarkStart w:id="0" w:name="b"/><w:p><w:pPr/>${columnBreak}<w:r></w:r></w:p>`,
    );
    expect(moved).toContain(p(columnBreak + run('a')));
  });

  test.each([
    ['before a table', `<w:p>${columnBreak}</w:p><w:tbl/>`],
    ['before text', `<w:p>${columnBreak}${run('a')}</w:p>${p(run('b'))}`],
    ['at the end of a section', `<w:p><w:pPr><w:sectPr/></w:pPr>${columnBreak}</w:p>${p(run('b'))}`],
    [
      'in another cell',
      `<w:tbl><w:tr><w:tc><w:p>${columnBreak}</w:p></w:tc><w:tc>${p('')}</w:tc></w:tr></w:tbl>`,
    ],
  ])('stays %s', async (_name, body) => {
    expect(await mainOf(body)).toContain(columnBreak);
    expect(await mainOf(body)).not.toContain('<w:r></w:r>');
  });
});
