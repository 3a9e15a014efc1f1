import { describe, expect, test } from '@jest/globals';
import { cpuMsSince } from '@scriptorium/testing/cpu-time';
import { testInWhole } from '@scriptorium/testing/extent';
import { wordType } from '@scriptorium/testing/fixtures/hostile/document';
import { p, run, sdt, templateOf, wordPart } from '@scriptorium/testing/fixtures/word-markup';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { templateField } from '../src/template-field.ts';
import { fill, inspected, text } from './filling.ts';

const cell = (text: string) => `<w:tc>${p(run(text))}</w:tc>`;
const TABLE = `<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/><w:gridCol/></w:tblGrid><w:tr>${cell('a')}${cell('b')}</w:tr></w:tbl>`;
const LIST =
  '<w:dropDownList><w:listItem w:displayText="Choose" w:value=""/><w:listItem w:displayText="Germany" w:value="DE"/></w:dropDownList>';

const TEMPLATE = templateOf(
  [
    p(
      run('Dear ') +
        sdt({ id: 1, tag: 'name', alias: 'Your name' }, `${run('Ada\tB')}<w:r><w:br/></w:r>${run('C')}`),
    ),
    sdt(
      {
        id: 2,
        tag: { fieldId: 'sig', fieldTypeShort: 'signature', displayLabel: 'Sign here', group: 'signers' },
      },
      p(run('x')),
    ),
    p(sdt({ id: 3, alias: 'Photo', properties: '<w:picture/>' }, run(''))),
    sdt({ id: 4, tag: 'items' }, TABLE),
    p(sdt({ id: 5, tag: 'country', properties: `<w:lock w:val="sdtLocked"/>${LIST}` }, run('Germany'))),
    p(sdt({ id: 6, tag: 'agree', properties: '<w14:checkbox/>' }, run('☐'))),
    p(
      sdt(
        {
          id: 7,
          tag: 'day',
          properties: '<w:showingPlcHdr/><w:date><w:dateFormat w:val="d.M.yyyy"/></w:date>',
        },
        run('Pick one'),
      ),
    ),
  ].join(''),
  {
    links: [{ id: 'rIdHeader', kind: 'header', target: 'header1.xml' }],
    parts: [
      {
        name: 'word/header1.xml',
        data: wordPart('hdr', p(sdt({ id: 8, alias: 'Company' }, run('ACME')))),
        type: wordType('header'),
      },
    ],
  },
);

describe('inspecting a template', () => {
  test('returns for each field what a caller needs to fill it', async () => {
    const result = await inspected(TEMPLATE);
    expect(() => result.fields.map((field) => templateField.parse(field))).not.toThrow();
    const body = { part: 'word/document.xml', place: 'body' };
    expect(result.fields).toEqual([
      {
        id: 'name',
        wordId: '1',
        names: ['name', 'Your name'],
        count: 1,
        group: 'name',
        type: 'text',
        label: 'Your name',
        location: { ...body, level: 'inline' },
        current: 'Ada\tB\nC',
        options: { control: 'rich text' },
      },
      {
        id: 'sig',
        wordId: '2',
        names: ['sig'],
        count: 1,
        group: 'signers',
        type: 'signature',
        label: 'Sign here',
        location: { ...body, level: 'block' },
        current: 'x',
        options: { control: 'rich text' },
      },
      {
        id: 'Photo',
        wordId: '3',
        names: ['Photo'],
        count: 1,
        group: 'Photo',
        type: 'image',
        label: 'Photo',
        location: { ...body, level: 'inline' },
        current: '',
        options: { control: 'picture' },
      },
      {
        id: 'items',
        wordId: '4',
        names: ['items'],
        count: 1,
        group: 'items',
        type: 'table',
        location: { ...body, level: 'block' },
        current: 'a\nb',
        options: { control: 'rich text', columns: 2 },
      },
      {
        id: 'country',
        wordId: '5',
        names: ['country'],
        count: 1,
        group: 'country',
        type: 'text',
        location: { ...body, level: 'inline' },
        current: 'Germany',
        options: { control: 'drop-down', choices: ['Germany'], isLocked: true },
      },
      {
        id: 'agree',
        wordId: '6',
        names: ['agree'],
        count: 1,
        group: 'agree',
        type: 'text',
        location: { ...body, level: 'inline' },
        current: '☐',
        options: { control: 'checkbox' },
      },
      {
        id: 'day',
        wordId: '7',
        names: ['day'],
        count: 1,
        group: 'day',
        type: 'text',
        location: { ...body, level: 'inline' },
        current: '',
        options: { control: 'date', dateFormat: 'd.M.yyyy' },
      },
      {
        id: 'Company',
        wordId: '8',
        names: ['Company'],
        count: 1,
        group: 'Company',
        type: 'text',
        label: 'Company',
        location: { part: 'word/header1.xml', place: 'header', level: 'inline' },
        current: 'ACME',
        options: { control: 'rich text' },
      },
    ]);
  });

  test.each([
    'name',
    'Name of the customer (2)',
    'customer.first-name',
    'user@company',
    'items[0].name',
    '客户',
    'Straße/Nr.',
    'clé d’accès',
    '1',
    '2.1',
  ])('lists the likely name {%s}', async (name) => {
    const { fields } = await inspected(templateOf(p(run(`for {${name}}`))));
    expect(fields.map(({ id }) => id)).toEqual([name]);
  });

  test.each([
    '#lines',
    '/lines',
    '^lines',
    '% for line in lines %',
    'FOR line IN lines',
    'END-FOR line',
    '6C3C8BC8-F283-45AE-878A-BAB7291924A1',
    ' return x; ',
    'color: red',
    '"a":1',
    'x = 1',
    '\\alpha',
    '<b>',
    '1, 2',
    '...',
    '_',
  ])('does not list {%s}, although it can be filled', async (name) => {
    const source = templateOf(p(run(`for {${name}}`)));
    expect((await inspected(source)).fields).toEqual([]);
    expect((await fill(source, [text({ id: name.trim() }, 'Ada')])).xml()).toContain('Ada');
  });

  test('truncates long texts, also of nested controls', async () => {
    let body = p(run('é'.repeat(9_999) + '😀'.repeat(1_000_000)));
    for (let level = 0; level < 110; level++) body = sdt({ tag: `level ${level}` }, body);
    const { fields } = await inspected(templateOf(body));
    expect(fields).toHaveLength(110);
    for (const { current } of fields) expect(current).toBe('é'.repeat(9_999));
  });

  testInWhole(
    'is fast in a document with very many sections, relationships, or controls with one name',
    async () => {
      const links = Array.from({ length: 19_000 }, (_, number) => ({
        id: `rId${number + 10}`,
        kind: 'hyperlink',
        target: 'https://example.com',
        isExternal: true,
      }));
      const sections = p('', '<w:sectPr/>').repeat(50_000);
      const controls = p(sdt({ tag: 'x' }, run('a'))).repeat(50_000);
      const startedAt = process.cpuUsage();
      const { fields } = await inspected(templateOf(sections + controls, { links }));
      expect(fields).toHaveLength(50_000);
      expect(cpuMsSince(startedAt)).toBeLessThan(15_000);
    },
  );

  test('returns a schema that accepts exactly the values that fill the template', async () => {
    const { schema } = await inspected(TEMPLATE);
    const isValid = new Ajv2020({ allowUnionTypes: true }).compile(schema);
    const good = [
      { id: 'name', type: 'text', value: 'Ada', options: { keepTextNodeStyles: false } },
      {
        group: 'signers',
        type: 'signature',
        value: 'data:image/png;base64,AAAA',
        options: { arcElement: { color: '#ff0000' } },
      },
      {
        id: 'Photo',
        type: 'image',
        value: 'https://example.com/a.png',
        options: { dimensions: { width: '100' } },
      },
      { id: 'items', type: 'table', value: [['1', '2'], ['3']] },
      { id: 'country', type: 'text', value: 'Germany' },
      { id: 'agree', type: 'text', value: true },
    ];
    expect(isValid(good)).toBe(true);
    for (const bad of [
      { id: 'nobody', type: 'text', value: '' },
      { id: 'name', type: 'image', value: 'data:image/png;base64,AAAA' },
      { id: 'name', type: 'text' },
      { id: 'name', type: 'text', value: 'x', options: { copyRowStyle: true } },
      { id: 'items', type: 'table', value: [['1', '2', '3']] },
      { id: 'country', type: 'text', value: 'Spain' },
      { id: 'agree', type: 'text', value: 'maybe' },
      { id: 'Photo', type: 'image', value: 'file:///etc/passwd' },
    ])
      expect([bad, isValid([bad])]).toEqual([bad, false]);
  });

  test('returns no fields for a document without any', async () => {
    const { fields, schema } = await inspected(templateOf(p(run('plain'))));
    expect(fields).toEqual([]);
    expect(new Ajv2020().compile(schema)([{ id: 'x', type: 'text', value: '' }])).toBe(false);
  });
});
