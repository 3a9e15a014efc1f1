import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { prepare } from '@scriptorium/sanitizer/sanitize';
import { few } from '@scriptorium/testing/extent';
import { DOCX_MAIN_TYPE } from '@scriptorium/testing/fixtures/docx';
import { documentOf, OFFICE, paragraph } from '@scriptorium/testing/fixtures/hostile/document';
import type { Engine } from '../../src/engines/engine.ts';
import { LibreOfficeKitEngine } from '../../src/engines/kit/libreofficekit.ts';
import { LibreOfficeConvertEngine } from '../../src/engines/libreoffice-convert.ts';
import { textOf } from '../rigs/pdf-text.ts';
import { run } from './engine.suite.ts';

const CHART = `${OFFICE}/drawingml/2006/chart`;
const MATH = `${OFFICE}/officeDocument/2006/math`;

const text = (words: string) =>
  `<c:tx><c:rich><a:bodyPr/><a:p><a:r><a:t>${words}</a:t></a:r></a:p></c:rich></c:tx>`;
const points = (values: readonly (string | number)[]) =>
  `<c:ptCount val="${values.length}"/>${values.map((value, i) => `<c:pt idx="${i}"><c:v>${value}</c:v></c:pt>`).join('')}`;

/** A bar chart with its values in it, as Word writes one; its workbook is not there. */
const chartXml =
  `<c:chartSpace xmlns:c="${CHART}" xmlns:a="${OFFICE}/drawingml/2006/main"><c:chart><c:title>${text('Harvest by field')}</c:title>` +
  '<c:plotArea><c:layout/><c:barChart><c:barDir val="col"/><c:grouping val="clustered"/><c:ser><c:idx val="0"/><c:order val="0"/>' +
  `<c:cat><c:strRef><c:f>A1:A2</c:f><c:strCache>${points(['Northfield', 'Southfield'])}</c:strCache></c:strRef></c:cat>` +
  `<c:val><c:numRef><c:f>B1:B2</c:f><c:numCache>${points([3, 5])}</c:numCache></c:numRef></c:val></c:ser>` +
  '<c:axId val="1"/><c:axId val="2"/></c:barChart>' +
  '<c:catAx><c:axId val="1"/><c:scaling/><c:delete val="0"/><c:axPos val="b"/><c:crossAx val="2"/></c:catAx>' +
  '<c:valAx><c:axId val="2"/><c:scaling/><c:delete val="0"/><c:axPos val="l"/><c:crossAx val="1"/></c:valAx>' +
  '</c:plotArea></c:chart></c:chartSpace>';

const chartDocument = documentOf({
  body:
    paragraph('A chart follows') +
    '<w:p><w:r><w:drawing><wp:inline><wp:extent cx="4000000" cy="3000000"/><wp:docPr id="1" name="chart"/>' +
    `<a:graphic><a:graphicData uri="${CHART}"><c:chart xmlns:c="${CHART}" r:id="rId1"/></a:graphicData></a:graphic>` +
    '</wp:inline></w:drawing></w:r></w:p>',
  links: [{ id: 'rId1', kind: 'chart', target: 'charts/chart1.xml' }],
  parts: [
    {
      name: 'word/charts/chart1.xml',
      data: chartXml,
      type: 'application/vnd.openxmlformats-officedocument.drawingml.chart+xml',
    },
  ],
});

const outerDocument = documentOf({
  body: `${paragraph('Before it')}<w:altChunk r:id="rId1"/>${paragraph('Behind it')}`,
  links: [{ id: 'rId1', kind: 'aFChunk', target: 'chunk.docx' }],
  parts: [
    { name: 'word/chunk.docx', data: documentOf({ body: paragraph('Inside of it') }), type: DOCX_MAIN_TYPE },
  ],
});

const mathRun = (letters: string) => `<m:r><m:t>${letters}</m:t></m:r>`;
const formulaDocument = documentOf({
  body:
    paragraph('A formula follows') +
    `<w:p><m:oMathPara xmlns:m="${MATH}"><m:oMath>${mathRun('area')}<m:f><m:num>${mathRun('acres')}</m:num><m:den>${mathRun('miles')}</m:den></m:f></m:oMath></m:oMathPara></w:p>`,
});

const ENGINES: [string, () => Engine][] = [
  ['libreofficekit', () => new LibreOfficeKitEngine({ zygotes: 1 })],
  ['libreoffice-convert', () => new LibreOfficeConvertEngine({ slots: 1 })],
];

describe.each(few(ENGINES, 1))('%s draws', (_name, make) => {
  const engine = make();
  beforeAll(() => engine.start());
  afterAll(() => engine.close());

  const shown = async (document: Buffer) => {
    const options = { from: 'docx', revisions: 'markup', updateFields: 'none' } as const;
    const { bytes } = await prepare(document, options);
    return textOf((await run(engine, bytes)).bytes);
  };

  test('charts, by the values that are in the document', async () => {
    const words = await shown(chartDocument);
    for (const word of ['Harvest by field', 'Northfield', 'Southfield']) expect(words).toContain(word);
  });

  test('documents inside of documents', async () => {
    const words = await shown(outerDocument);
    for (const word of ['Before it', 'Inside of it', 'Behind it']) expect(words).toContain(word);
  });

  test('formulas', async () => {
    const words = await shown(formulaDocument);
    for (const word of ['area', 'acres', 'miles']) expect(words).toContain(word);
  });
});
