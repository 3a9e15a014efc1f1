import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { chainsOf, type FormRow } from '@scriptorium/contracts/form-state';
import { placeText } from '@scriptorium/contracts/jobs/rows';
import { generation } from '@scriptorium/docx-generate/generation';
import { type TemplateRow, TemplateRows } from '@scriptorium/docx-generate/rows';
import { openTemplate } from '@scriptorium/docx-template/template';
import { few } from '@scriptorium/testing/extent';
import { LibreOfficeKitEngine } from '../../src/engines/kit/libreofficekit.ts';
import { docxOf, NAMESPACES } from '../rigs/documents.ts';
import { textOf } from '../rigs/pdf-text.ts';
import { descendants } from '../rigs/processes.ts';
import { randomPieces } from '../rigs/random-pieces.ts';
import { run } from './engine.suite.ts';

const engine = new LibreOfficeKitEngine({ zygotes: 1 });
beforeAll(() => engine.start());
afterAll(() => engine.close());

const REQUEST = { from: 'docx', to: 'pdf' } as const;
const once = () => ({ timeoutMs: 150_000, signal: new AbortController().signal });
const SEEDS = Array.from({ length: 40 }, (_, seed) => seed + 1);

const picturesOf = (pdf: Buffer): Buffer =>
  execFileSync('pdftoppm', ['-r', '50', '-gray', '-'], { input: pdf, maxBuffer: 2 ** 30 });

const openRows = () => {
  const rows = engine.openRows();
  if (rows === undefined) throw new Error('the engine makes no rows');
  return rows;
};

test.each(few(SEEDS, 1, 1))(
  'a form without what rows lack gives their documents: template %i',
  async (seed) => {
    const { template, data } = randomPieces(seed);
    const rows = new TemplateRows(await openTemplate(template), generation.parse({}), placeText);
    const all = Array.from({ length: 7 }, () => ({ data: data(), images: Buffer.alloc(0) }) as TemplateRow);
    const shapes = await Promise.all(all.map(async (row) => (await rows.placed(row))?.shape ?? []));
    const form = await rows.form(all, shapes);
    if (typeof form === 'string') throw new Error(form);
    const served = [...form.rows.entries()].flatMap(([at, own]) =>
      typeof own === 'string' ? [] : [{ at, own }],
    );
    expect(served.length).toBeGreaterThan(0);
    const maker = openRows();
    const chains = chainsOf(
      served.map(({ own }) => own),
      form.around,
    );
    for (const index of chains.flat()) {
      const { at, own } = served[index] ?? { at: 0, own: { gone: [], texts: [] } };
      const fast = await maker.fill(form, own, REQUEST, once());
      const plain = await run(engine, (await rows.document(all[at] as TemplateRow)).bytes);
      expect(fast.pages).toBe(plain.pages);
      expect(picturesOf(fast.bytes).equals(picturesOf(plain.bytes))).toBe(true);
    }
    await maker.close();
  },
);

const p = (content: string, properties = '') =>
  `<w:p><w:pPr>${properties}</w:pPr>${content === '' ? '' : `<w:r><w:rPr><w:sz w:val="40"/></w:rPr><w:t xml:space="preserve">${content}</w:t></w:r>`}</w:p>`;
const BORDER =
  '<w:tblBorders><w:top w:val="single" w:sz="48" w:color="FF0000"/><w:bottom w:val="single" w:sz="48" w:color="0000FF"/></w:tblBorders>';
const tr = (content: string, cell = '') =>
  `<w:tr><w:tc><w:tcPr><w:tcW w:w="4500" w:type="dxa"/>${cell}</w:tcPr>${content}</w:tc></w:tr>`;
const tbl = (...rows: string[]) =>
  `<w:tbl><w:tblPr><w:tblStyle w:val="Looks"/><w:tblW w:w="4500" w:type="dxa"/>${BORDER}<w:tblLook w:val="0420"/></w:tblPr><w:tblGrid><w:gridCol w:w="4500"/></w:tblGrid>${rows.join('')}</w:tbl>`;
const shade = (part: string, fill: string) =>
  `<w:tblStylePr w:type="${part}"><w:tcPr><w:shd w:val="clear" w:fill="${fill}"/></w:tcPr></w:tblStylePr>`;
/** The first row and every second one have a color. */
const STYLES = {
  name: 'styles.xml',
  kind: 'styles',
  data: `<w:styles ${NAMESPACES}><w:style w:type="table" w:styleId="Looks"><w:name w:val="Looks"/>${shade('firstRow', 'FF0000')}${shade('band1Horz', '00FF00')}${shade('band2Horz', '0000FF')}</w:style></w:styles>`,
};

/** The paragraph or row `number` of a form, with its marks. */
const piece = (kind: 'rows' | 'blocks', xml: string) => {
  const mark = (edge: string) =>
    `<w:bookmarkStart w:id="9${edge}" w:name="_${kind}0${edge === '1' ? 'a' : 'b'}"/><w:bookmarkEnd w:id="9${edge}"/>`;
  return xml.replace('</w:pPr>', `</w:pPr>${mark('1')}`).replace('</w:p>', `${mark('2')}</w:p>`);
};

interface Removal {
  form: string;
  alone: string;
  row?: FormRow;
}
const GONE = { gone: [0], texts: [] };

/** What `form-rules.ts` of `packages/docx-generate` refuses. */
const REFUSED: Record<string, Removal> = {
  'a place that is alone in its paragraph': {
    form: p('above') + p(placeText(0)) + p('below'),
    alone: p('above') + p('').replace('</w:pPr>', '<w:rPr/></w:pPr>') + p('below'),
    row: { gone: [], texts: [''] },
  },
  'the first row of a table': {
    form: p('above') + tbl(piece('rows', tr(p('one'))), tr(p('two'))) + p('below'),
    alone: p('above') + tbl(tr(p('two'))) + p('below'),
    row: GONE,
  },
  'the last row of a table': {
    form: p('above') + tbl(tr(p('one')), piece('rows', tr(p('two')))) + p('below'),
    alone: p('above') + tbl(tr(p('one'))) + p('below'),
    row: GONE,
  },
  'a row above one of another band': {
    form:
      p('above') + tbl(tr(p('one')), piece('rows', tr(p('two'))), tr(p('three')), tr(p('four'))) + p('below'),
    alone: p('above') + tbl(tr(p('one')), tr(p('three')), tr(p('four'))) + p('below'),
    row: GONE,
  },
  'a page break': {
    form:
      p('above') +
      piece(
        'blocks',
        `<w:p><w:pPr></w:pPr><w:r><w:t>optional</w:t></w:r><w:r><w:br w:type="page"/></w:r></w:p>`,
      ) +
      p('below'),
    alone: p('above') + p('below'),
    row: GONE,
  },
  'what two tables have between them': {
    form: p('above') + tbl(tr(p('one'))) + piece('blocks', p('between')) + tbl(tr(p('two'))) + p('below'),
    alone: p('above') + tbl(tr(p('one'))) + tbl(tr(p('two'))) + p('below'),
    row: GONE,
  },
};

describe('a form that loses what must stay differs from the document', () => {
  test.each(few(Object.entries(REFUSED), 1, 1))(
    'if it loses %s',
    async (_what, { form, alone, row = GONE }) => {
      const maker = openRows();
      const fast = await maker.fill({ bytes: docxOf(form, [STYLES]), around: [-1] }, row, REQUEST, once());
      await maker.close();
      const plain = await run(engine, docxOf(alone, [STYLES]));
      expect(picturesOf(fast.bytes).equals(picturesOf(plain.bytes))).toBe(false);
    },
  );
});

const LETTER = {
  bytes: docxOf(p(placeText(0)) + piece('blocks', p('optional')) + p(placeText(1)) + p('end')),
  around: [-1],
};

describe('a maker of rows', () => {
  test('loads a form again for a row that needs what is gone', async () => {
    const maker = openRows();
    const texts = [];
    for (const [gone, end] of [
      [[], 'b'],
      [[0], ''],
      [[], 'c'],
    ] as const)
      texts.push(
        textOf((await maker.fill(LETTER, { gone, texts: ['a\nline', end] }, REQUEST, once())).bytes),
      );
    await maker.close();
    expect(texts).toEqual(['a line optional b end', 'a line end', 'a line optional c end']);
  });

  test('fails a row whose numbers do not fit the form, and goes on in another process', async () => {
    const maker = openRows();
    for (const row of [
      { gone: [7], texts: ['a', 'b'] },
      { gone: [], texts: ['a', 'b', 'c'] },
    ])
      await expect(maker.fill(LETTER, row, REQUEST, once())).rejects.toMatchObject({ kind: 'unreadable' });
    const { bytes } = await maker.fill(LETTER, { gone: [0], texts: ['a', 'b'] }, REQUEST, once());
    await maker.close();
    expect(textOf(bytes)).toBe('a b end');
  });

  test('takes no other bookmark of a document for the mark of a piece', async () => {
    const others = ['_blocks0Total', '_blocks0', '_blocks0bb', '_blocksb']
      .map((name, at) => `<w:bookmarkStart w:id="${at}" w:name="${name}"/><w:bookmarkEnd w:id="${at}"/>`)
      .join('');
    const end = p('end').replace('</w:pPr>', `</w:pPr>${others}`);
    const form = docxOf(p(placeText(0)) + piece('blocks', p('optional')) + end);
    const maker = openRows();
    const row = { gone: [0], texts: ['a'] };
    const { bytes } = await maker.fill({ bytes: form, around: [-1] }, row, REQUEST, once());
    await maker.close();
    expect(textOf(bytes)).toBe('a end');
  });

  test('goes on in another process after one that was killed between two rows', async () => {
    const maker = openRows();
    await maker.fill(LETTER, { gone: [0], texts: ['a', 'b'] }, REQUEST, once());
    const owner = descendants().find(({ parent, cwd }) => parent !== process.pid && /\/job-\d+$/.test(cwd));
    process.kill(owner?.pid ?? 0, 'SIGKILL');
    const next = await maker
      .fill(LETTER, { gone: [], texts: ['c', 'd'] }, REQUEST, once())
      .catch(() => undefined);
    const { bytes } = next ?? (await maker.fill(LETTER, { gone: [], texts: ['c', 'd'] }, REQUEST, once()));
    await maker.close();
    expect(textOf(bytes)).toBe('c optional d end');
  });
});
