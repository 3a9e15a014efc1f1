import { describe, expect, test } from '@jest/globals';
import { Budget } from '@scriptorium/ooxml/bounds';
import { readArchive, unpackEntry } from '@scriptorium/ooxml/zip';
import { cpuMsSince } from '@scriptorium/testing/cpu-time';
import { presentationWith } from '@scriptorium/testing/fixtures/presentation';
import { SHEET_NAMESPACES, textCell, workbookWith } from '@scriptorium/testing/fixtures/workbook';
import { FormulaJudge } from '../../src/sheets/formula.ts';
import { judgeCondition, judgeOpenFormula } from '../../src/sheets/open-formula.ts';
import { SOURCE_SANITIZERS } from '../../src/sources/sanitizers.ts';
import { prepare, refusal } from './sanitizer-under-test.ts';

async function partOf(bytes: Buffer, name: string): Promise<string> {
  const budget = new Budget();
  const entry = (await readArchive(bytes, budget)).get(name);
  return entry === undefined ? '' : unpackEntry(entry, budget).toString();
}

const SHEET = 'xl/worksheets/sheet1.xml';

/** The texts of a CSV's cells, by row. */
async function cellsOf(csv: string | Buffer, delimiter?: string): Promise<string[][]> {
  const sanitizer = await SOURCE_SANITIZERS.csv();
  const options = { revisions: 'markup', updateFields: 'none', delimiter } as const;
  const { bytes } = await sanitizer.prepare(Buffer.from(csv), options);
  const rows = (await partOf(bytes, SHEET)).match(/<row.*?<\/row>/gs) ?? [];
  return rows.map((row) => [...row.matchAll(/<t [^>]*>(.*?)<\/t>/gs)].map(([, text = '']) => text));
}

describe('a formula', () => {
  const judge = new FormulaJudge(new Set(['sheet1', 'my sheet', 'jan', 'dec']));
  test.each([
    'SUM(A1:B2)',
    "'My Sheet'!$A$1",
    "SUM('Jan:Dec'!A1)",
    'Jan:Dec!A1',
    'IF(A1="a [b] | #x","\'","")',
    'Sales[Total]',
    'SUM(Sales[[#All],[Total]])',
    'Sheet1!#REF!',
    'IFERROR(#N/A,{1,2;3,4})',
    '_xlfn.XLOOKUP(1,A1:A2,B1:B2)',
    'HYPERLINK("https://example.org/","x")',
    'Rate*2',
    'HYPERLINK( "a ""quoted"" name" , "x")',
    '"HYPER"&SUM (1)',
  ])('that depends on the workbook alone is safe: %s', (formula) => {
    expect(judge.judge(formula)).toBe('safe');
  });

  test.each(['LET(x,1,x)', 'MyMacro(1)', "'unended", 'A1#'])(
    'that is not known is not calculated: %s',
    (formula) => {
      expect(judge.judge(formula)).toBe('unknown');
    },
  );

  test.each([
    'HYPERLINK("f"&"ile:///x","y")',
    'HYPERLINK("x"A1)',
    'HYPERLINK(("file:///x"),"y")',
    '1+Other!A1',
    'Jan:Other!A1',
    'Sheet1:Jan:Other!A1',
    'SUM (CALL (1))',
  ])('that reaches outside is active: %s', (formula) => {
    expect(judge.judge(formula)).toBe('active');
  });

  test.each([
    ['a'.repeat(8_192), 'safe'],
    ['a'.repeat(8_193), 'unknown'],
    [`${'a.'.repeat(4_000)}!A1`, 'active'],
    ['a:'.repeat(4_000), 'safe'],
    [`A[${'[b]'.repeat(2_700)}`, 'active'],
    [`a${' '.repeat(8_000)}`, 'safe'],
    ['HYPERLINK("""'.repeat(600), 'active'],
  ] as const)('is read once from left to right: %.20s', (formula, verdict) => {
    const startedAt = process.cpuUsage();
    for (let count = 0; count < 20; count++) expect(judge.judge(formula)).toBe(verdict);
    judgeOpenFormula(formula);
    expect(cpuMsSince(startedAt)).toBeLessThan(500);
  });

  test.each(['of:=SUM([.A1:.B2])', 'of:=[\'My Sheet\'.A1]&"#"', 'of:=IF([.A1]>1;"x";"y")'])(
    'of OpenDocument that depends on the document alone is safe: %s',
    (formula) => {
      expect(judgeOpenFormula(formula)).toBe('safe');
    },
  );

  test.each(['cell-content()>=5', 'is-true-formula(ISERROR([.A1]))', 'between(1,5)', 'value()=0'])(
    'of a condition of OpenDocument is safe: %s',
    (formula) => {
      expect(judgeCondition(formula)).toBe('safe');
    },
  );
});

describe('the sanitizer of workbooks', () => {
  test('keeps values, and formulas of cells without a value', async () => {
    const shared = (text: string, value = '') => `<c r="A1"><f t="shared" si="0">${text}</f>${value}</c>`;
    const rows = `<row r="1">${textCell('B1', 'stored', 'UPPER("x")')}${shared('A2+1', '<v>5</v>')}${shared('')}</row>`;
    const { bytes, dropped } = await prepare('xlsx', workbookWith({ sheets: [{ rows }] }));
    const sheet = await partOf(bytes, SHEET);
    expect(dropped).toEqual([]);
    expect(sheet).not.toContain('UPPER');
    expect(sheet).toContain('<v>stored</v>');
    // The second cell of the group has no value, and needs the formula of the first.
    expect(sheet).toContain('>A2+1</f><v>5</v>');
  });

  test('takes away the formula of a group whose cells all have values', async () => {
    const rows =
      '<row r="1"><c r="A1"><f t="shared" si="0">A2+1</f><v>5</v></c><c r="B1"><f t="shared" si="0"/><v>6</v></c></row>';
    expect(
      await partOf((await prepare('xlsx', workbookWith({ sheets: [{ rows }] }))).bytes, SHEET),
    ).not.toContain('<f');
  });

  test.each([
    ['xlsm', workbookWith({ mainType: 'application/vnd.ms-excel.sheet.macroEnabled.main+xml' })],
    [
      'xltx',
      workbookWith({
        mainType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.template.main+xml',
      }),
    ],
    [
      'ppsx',
      presentationWith({
        mainType: 'application/vnd.openxmlformats-officedocument.presentationml.slideshow.main+xml',
      }),
    ],
  ] as const)('makes a plain document of %s', async (from, document) => {
    const { bytes } = await prepare(from, document);
    expect(await partOf(bytes, '[content_types].xml')).toMatch(/(sheet|presentation)\.main\+xml/);
  });

  test('names a binary workbook', async () => {
    const mainType = 'application/vnd.ms-excel.sheet.binary.macroEnabled.main';
    expect((await refusal('xlsx', workbookWith({ mainType }))).message).toBe(
      'The file is a binary Excel workbook (XLSB), not an Excel workbook (XLSX).',
    );
  });

  test.each([
    ['B4', []],
    ['B1', ['pivot table without values in the sheet']],
  ])('reports a pivot table whose values are not in cells: %s', async (reference, details) => {
    const row = `<row r="${reference.slice(1)}">${textCell(reference, 'Sum')}</row>`;
    const sheet = {
      rows: row,
      links: [{ id: 'rId1', kind: 'pivotTable', target: '../pivotTables/pivotTable1.xml' }],
    };
    const pivot = `<pivotTableDefinition ${SHEET_NAMESPACES}><location ref="A3:C9" firstDataCol="1"/></pivotTableDefinition>`;
    const parts = [
      {
        name: 'xl/pivotTables/pivotTable1.xml',
        data: pivot,
        type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.pivotTable+xml',
      },
    ];
    const { bytes, dropped } = await prepare('xlsx', workbookWith({ sheets: [sheet], parts }));
    expect(dropped.map(({ detail }) => detail)).toEqual(details);
    expect(bytes.includes('pivotTable')).toBe(false);
  });
});

describe('a CSV', () => {
  test.each([
    [
      'a,b\n1,2\n',
      undefined,
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a;b\r\n1,5;2,5\r\n',
      undefined,
      [
        ['a', 'b'],
        ['1,5', '2,5'],
      ],
    ],
    [
      'a\tb\r1\t2',
      undefined,
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['sep=|\na|b,c\n', undefined, [['a', 'b,c']]],
    [
      'a:b\n1:2\n',
      ':',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['"a ""b""";"c;d"\n', undefined, [['a &quot;b&quot;', 'c;d']]],
    ['=1+1,@SUM(A1),00012\n', undefined, [['=1+1', '@SUM(A1)', '00012']]],
  ])('%j with the separator %j has the fields %j', async (csv, delimiter, fields) => {
    expect(await cellsOf(csv, delimiter)).toEqual(fields);
  });

  test.each([
    ['UTF-8', Buffer.from('Grüße,x')],
    ['UTF-16', Buffer.from('\ufeffGrüße,x', 'utf16le')],
    ['windows-1252', Buffer.from('Gr\xfc\xdfe,x', 'latin1')],
  ])('is read in %s', async (_encoding, bytes) => {
    expect(await cellsOf(bytes)).toEqual([['Grüße', 'x']]);
  });

  test('with a quote that does not end is damaged', async () => {
    expect((await refusal('csv', Buffer.from('a,"b\nc'))).code).toBe('INVALID_FILE_FORMAT');
  });
});
