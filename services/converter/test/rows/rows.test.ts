import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { placeText, signRowsJob } from '@scriptorium/contracts/jobs/rows';
import { docxWith } from '@scriptorium/testing/fixtures/docx';
import { documentOf } from '@scriptorium/testing/fixtures/hostile/document';
import type { Engine } from '../../src/engines/engine.ts';
import { LibreOfficeKitEngine } from '../../src/engines/kit/libreofficekit.ts';
import { comparisonThread } from '../../src/threads/threads.ts';
import { slowDocument } from '../engines/engine.suite.ts';
import { convertPackWith, report } from '../rigs/convert-pack.ts';
import { descendants, until } from '../rigs/processes.ts';

const engine = new LibreOfficeKitEngine({ zygotes: 1 });
const comparison = comparisonThread({ threads: 1 });
beforeAll(() => engine.start());
afterAll(async () => {
  await Promise.all([engine.close(), comparison.close()]);
});

const OTHER_PREFIX = '<x:bidi xmlns:x="http://schemas.openxmlformats.org/wordprocessingml/2006/main"/>';

/** The process of a maker of rows that runs a row just now. */
const busyProcess = () =>
  descendants().find(
    ({ parent, name, cwd }) =>
      name === 'engine-host' &&
      parent !== process.pid &&
      Array.from({ length: 40 }, (_, row) => join(cwd, `input-${row}.docx`)).some(existsSync),
  );

const convertPack = convertPackWith.bind(undefined, { engine, comparison });

const FORM = docxWith([`Dear ${placeText(0)}`]);
const withForm = (text: string, more: object = {}, kind = 'compared here') => ({
  values: { form: 0, gone: [], texts: [text], kind },
  report,
  ...more,
});

describe('a pack of rows', () => {
  test('keeps the order of rows and the errors of earlier steps, and a row that fails does so alone', async () => {
    const error = { code: 'DATA_MISSING', message: 'no data' };
    const { texts } = await convertPack(
      {
        forms: [{ document: { part: 1 }, around: [] }],
        rows: [
          withForm('Ada'),
          { error },
          { document: { part: 2 }, report },
          { document: { part: 3 }, report },
          withForm('Bob'),
        ],
      },
      [FORM, docxWith(['plain']), Buffer.from('no document')],
    );
    expect(texts).toEqual([
      'Dear Ada',
      { error },
      'plain',
      { error: expect.objectContaining({ code: 'INVALID_FILE_FORMAT' }) },
      'Dear Bob',
    ]);
  });

  test('makes a row plain if its text does not suit a form, and asks for it again without a document', async () => {
    const { texts, rows } = await convertPack(
      {
        forms: [{ document: { part: 1 }, around: [] }],
        rows: [withForm('שלום', { document: { part: 2 } }), withForm('שלום'), withForm('Ada', {}, 'known')],
      },
      [FORM, docxWith(['plain'])],
    );
    expect(texts).toEqual(['plain', { again: 'text' }, 'Dear Ada']);
    expect(rows[2]).toMatchObject({ conversion: { pages: 1, engine: { loader: 'writer' } } });
  });

  test.each([
    { updateFields: 'all' },
    { comments: 'margin' },
    { revisions: 'final' },
    { pages: '1' },
    { strictFonts: 'true' },
    { to: 'docx' },
  ] as const)('does not fill a form with the options %j', async (options) => {
    const { texts } = await convertPack(
      { forms: [{ document: { part: 1 }, around: [] }], rows: [withForm('Ada')] },
      [FORM],
      {
        options,
      },
    );
    expect(texts).toEqual([{ again: 'template' }]);
  });

  test('does not fill a form from right to left, or with tracked changes', async () => {
    const forms = ['<w:rPr><w:rtl/></w:rPr>', '<w:rPr><w:ins w:id="1" w:author="A"/></w:rPr>'];
    for (const properties of forms) {
      const body = `<w:p><w:pPr>${properties}</w:pPr><w:r>${properties.includes('rtl') ? properties : ''}<w:t>${placeText(0)}</w:t></w:r></w:p>`;
      const { texts } = await convertPack(
        { forms: [{ document: { part: 1 }, around: [] }], rows: [withForm('Ada')] },
        [documentOf({ body })],
      );
      expect(texts).toEqual([{ again: 'template' }]);
    }
  });

  test.each([
    '<w:sectPr><w:cols w:num="2" w:space="300"/></w:sectPr>',
    "<w:sectPr><w:cols w:space='300' w:num = '3'></w:cols></w:sectPr>",
    '<w:sectPr><w:cols w:equalWidth="0"><w:col w:w="3000" w:space="300"/><w:col w:w="5000"/></w:cols></w:sectPr>',
  ])('does not fill a form whose text goes from column to column: %s', async (section) => {
    const { texts } = await convertPack(
      { forms: [{ document: { part: 1 }, around: [] }], rows: [withForm('Ada')] },
      [documentOf({ body: `<w:p><w:r><w:t>${placeText(0)}</w:t></w:r></w:p>${section}` })],
    );
    expect(texts).toEqual([{ again: 'template' }]);
  });

  test.each(['<w:cols w:space="720"/>', '<w:cols w:num="1" w:space="720"/>'])(
    'fills a form of one column: %s',
    async (columns) => {
      const body = `<w:p><w:r><w:t>${placeText(0)}</w:t></w:r></w:p><w:sectPr>${columns}</w:sectPr>`;
      const { texts } = await convertPack(
        { forms: [{ document: { part: 1 }, around: [] }], rows: [withForm('Ada')] },
        [documentOf({ body })],
      );
      expect(texts).toEqual(['Ada']);
    },
  );

  test.each([
    "<w:bidi w:val='1'/>",
    '<w:bidi></w:bidi>',
    '<w:bidi w:val = "true"/>',
    '<w:bidi\n/>',
    OTHER_PREFIX,
  ])('does not fill a paragraph from right to left, however it is written: %j', async (property) => {
    const body = `<w:p><w:pPr>${property}</w:pPr><w:r><w:t>${placeText(0)}</w:t></w:r></w:p>`;
    const { texts } = await convertPack(
      { forms: [{ document: { part: 1 }, around: [] }], rows: [withForm('Ada')] },
      [documentOf({ body })],
    );
    expect(texts).toEqual([{ again: 'template' }]);
  });

  test.each([
    '<w:hyperlink w:anchor="here"><w:r><w:t>go</w:t></w:r></w:hyperlink>',
    '<w:fldSimple w:instr=" HYPERLINK \\l &quot;here&quot; "><w:r><w:t>go</w:t></w:r></w:fldSimple>',
    '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>HYPERLINK \\l "here"</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>',
  ])('does not fill a form with a link to a bookmark, which may be lost: %s', async (link) => {
    const bookmark = '<w:bookmarkStart w:id="1" w:name="here"/><w:bookmarkEnd w:id="1"/>';
    const body = `<w:p><w:r><w:t>${placeText(0)}</w:t></w:r>${bookmark}${link}</w:p>`;
    const { texts } = await convertPack(
      { forms: [{ document: { part: 1 }, around: [] }], rows: [withForm('Ada')] },
      [documentOf({ body })],
    );
    expect(texts).toEqual([{ again: 'template' }]);
  });

  test('reports whether both ways give the same document, and answers with the plain one', async () => {
    const both = (document: Buffer) =>
      convertPack(
        {
          forms: [{ document: { part: 1 }, around: [] }],
          rows: [withForm('Ada', { document: { part: 2 } })],
        },
        [FORM, document],
      );
    const same = await both(docxWith(['Dear Ada']));
    expect([same.compared, same.texts, same.events]).toEqual(['same', ['Dear Ada'], []]);
    const different = await both(docxWith(['Dear Eve']));
    expect([different.compared, different.texts]).toEqual(['different', ['Dear Eve']]);
    expect(different.events).toEqual([{ what: 'text', page: 0 }]);
  });

  test('asks again for the fast rows of a pack with a difference, and for those whose kind was not compared after all', async () => {
    const pack = (document: Buffer, text: string) =>
      convertPack(
        {
          forms: [{ document: { part: 1 }, around: [] }],
          rows: [withForm('Bob', {}, 'known'), withForm('Eve'), withForm(text, { document: { part: 2 } })],
        },
        [FORM, document],
      );
    const again = { again: 'different' };
    expect((await pack(docxWith(['Dear Eve']), 'Ada')).texts).toEqual([again, again, 'Dear Eve']);
    const uncompared = await pack(docxWith(['plain']), 'שלום');
    expect([uncompared.compared, uncompared.texts]).toEqual([
      undefined,
      ['Dear Bob', { again: 'compared' }, 'plain'],
    ]);
  });

  test('fills one form with rows of several lengths, and says which were compared and why others are plain', async () => {
    const mark = (edge: string) =>
      `<w:bookmarkStart w:id="9" w:name="_blocks0${edge}"/><w:bookmarkEnd w:id="9"/>`;
    const body = (...texts: string[]) =>
      texts.map((text) => `<w:p>${text.replace(/^[^<]+$/, '<w:r><w:t>$&</w:t></w:r>')}</w:p>`).join('');
    const optional = `${mark('a')}<w:r><w:t>also</w:t></w:r>${mark('b')}`;
    const form = documentOf({ body: body(placeText(0), optional, 'end') });
    const values = (gone: number[], text: string) => ({
      form: 0,
      gone,
      texts: [text],
      kind: 'shorter',
    });
    const { texts, rows, checked, events } = await convertPack(
      {
        forms: [{ document: { part: 1 }, around: [-1] }],
        rows: [
          { values: values([0], 'Ada'), report },
          { values: values([], 'Bob'), report },
          { values: values([0], 'Eve'), document: { part: 2 }, report },
          { values: values([7], 'Joe'), report },
          { document: { part: 2 }, plain: 'empty', report },
        ],
      },
      [form, documentOf({ body: body('Eve', 'end') })],
    );
    expect(texts).toEqual(['Ada end', 'Bob also end', 'Eve end', { again: 'failed' }, 'Eve end']);
    expect(rows.map((row) => ('document' in row ? row.plain : 'again'))).toEqual([
      undefined,
      undefined,
      'compared',
      'again',
      'empty',
    ]);
    expect(checked).toEqual(['shorter']);
    expect(events).toEqual([expect.objectContaining({ kind: 'unreadable' })]);
  });

  test('has no form for its template only if none of its forms can be filled', async () => {
    const body = `<w:p><w:pPr><w:bidi/></w:pPr><w:r><w:t>${placeText(0)}</w:t></w:r></w:p>`;
    const refused = documentOf({ body });
    const rowOf = (form: number) => ({ values: { form, gone: [], texts: ['Ada'], kind: 'known' }, report });
    const forms = [1, 2].map((part) => ({ document: { part }, around: [] }));
    const packOf = async (...rows: object[]) => await convertPack({ forms, rows }, [refused, FORM]);
    expect((await packOf(rowOf(0))).isRefused).toBe(true);
    expect((await packOf(rowOf(0), rowOf(1))).isRefused).toBe(false);
    expect((await packOf(rowOf(1), rowOf(0))).isRefused).toBe(false);
  });

  test('goes to the signer with its results', async () => {
    const thenSign = { request: { key: 'r', bytes: 1 }, images: { key: 'i', bytes: 1 } };
    const { next, kept } = await convertPack(
      { forms: [], rows: [{ document: { part: 1 }, report }] },
      [docxWith(['x'])],
      { thenSign },
    );
    expect(next?.queue).toBe(signRowsJob.name);
    expect(next?.blobs).toEqual(expect.arrayContaining([...kept.map(({ key }) => key), 'r', 'i']));
  });

  test('converts a document that its process does not survive once more, alone, and the others in another', async () => {
    const large = docxWith(Array.from({ length: 3_000 }, (_, line) => `line ${line}`));
    const converting = convertPack(
      { forms: [], rows: [1, 2, 3].map((part) => ({ document: { part }, report })) },
      [docxWith(['first']), large, docxWith(['third'])],
    );
    const { pid } = await until('the large row runs', () => {
      const found = busyProcess();
      return found !== undefined && existsSync(join(found.cwd, 'input-2.docx')) ? found : undefined;
    });
    process.kill(pid, 'SIGKILL');
    const { texts, rows } = await converting;
    expect([texts[0], texts[2]]).toEqual(['first', 'third']);
    expect(texts[1]).toContain('line 2999');
    expect(rows[1]).toMatchObject({ conversion: { engine: { attempts: 1 } } });
  });

  test('has only plain rows with an engine that makes one document in a process', async () => {
    const by: Engine = {
      name: engine.name,
      start: () => engine.start(),
      health: () => engine.health(),
      close: () => engine.close(),
      convert: (input, request, run) => engine.convert(input, request, run),
    };
    const rows = [withForm('Ada'), withForm('Bob', { document: { part: 2 } })];
    const { texts } = await convertPack(
      { forms: [{ document: { part: 1 }, around: [] }], rows },
      [FORM, docxWith(['plain'])],
      { by },
    );
    expect(texts).toEqual([{ again: 'template' }, 'plain']);
  });

  test('ends when it is canceled', async () => {
    const caller = new AbortController();
    const converting = convertPack({ forms: [], rows: [{ document: { part: 1 }, report }] }, [slowDocument], {
      signal: caller.signal,
    });
    const failed = expect(converting).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    await until('the row runs', busyProcess);
    caller.abort();
    await failed;
    await until('nothing is left', () => busyProcess() === undefined);
  });
});
