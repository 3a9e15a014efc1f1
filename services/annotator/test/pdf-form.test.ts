import { describe, expect, test } from '@jest/globals';
import type { Annotation } from '@scriptorium/docx-template/annotation';
import type { FieldValue } from '@scriptorium/docx-template/fields';
import { toAppError } from '@scriptorium/shared/to-app-error';
import { classicPdf } from '@scriptorium/testing/fixtures/pdf/build';
import { onePage } from '@scriptorium/testing/fixtures/pdf/documents';
import { encryptedBy } from '@scriptorium/testing/fixtures/pdf/programs';
import { plainPng } from '@scriptorium/testing/fixtures/picture';
import { fillPdfForm, fillPdfFormWithData, inspectPdfForm } from '../src/pdf-form.ts';

const WIDGET = '/Type/Annot/Subtype/Widget/F 4/P 3 0 R';
const FORM = classicPdf(
  onePage(
    '/Annots[6 0 R 7 0 R 8 0 R]',
    '/AcroForm<</Fields[6 0 R 7 0 R 8 0 R]/DA(/Helv 12 Tf 0 g)/DR<</Font<</Helv 5 0 R>>>>>>',
    [
      `<<${WIDGET}/FT/Tx/T(name)/TU(Your name)/MaxLen 9/Rect[50 400 200 420]>>`,
      `<<${WIDGET}/FT/Ch/T(land)/Ff ${(1 << 17) | 1}/Opt[(de)(fr)]/V(de)/Rect[50 300 200 320]>>`,
      `<<${WIDGET}/FT/Sig/T(sign)/Rect[50 200 200 260]>>`,
    ],
  ),
);
const text = (id: string, value: string) =>
  ({ id, type: 'text', value, options: { keepTextNodeStyles: true } }) as const;
const NOTHING = { images: Buffer.alloc(0) };
const IGNORE = { onMissing: 'ignore', flatten: false } as const;
const filled = (fields: readonly FieldValue[], options: Annotation = IGNORE) =>
  fillPdfForm({ ...NOTHING, source: FORM, fields, options });
const failureOf = async (fields: readonly FieldValue[], options?: Annotation) => {
  const error = await filled(fields, options).then(() => undefined, toAppError);
  if (error === undefined) throw new Error('it did not fail');
  return error;
};

describe('a PDF form', () => {
  test('is filled, and the report counts what matches nothing', async () => {
    const { bytes, report } = await filled([text('name', 'Ada'), text('other', '')]);
    expect(report).toMatchObject({ filled: 1, unmatched: { count: 1, fields: [1] }, contentRemoved: [] });
    expect(inspectPdfForm(bytes).fields[0]).toMatchObject({ id: 'name', current: 'Ada' });
  });

  test('lists its fields with their places and a schema of their values', () => {
    const { fields, schema } = inspectPdfForm(FORM);
    expect(fields).toEqual([
      {
        id: 'name',
        names: ['name'],
        count: 1,
        type: 'text',
        label: 'Your name',
        location: { page: 1, rectangle: { x: 50, y: 400, width: 150, height: 20 } },
        current: '',
        options: { control: 'plain text', maxLength: 9 },
      },
      expect.objectContaining({
        id: 'land',
        current: 'de',
        options: { control: 'drop-down', choices: ['de', 'fr'], isReadOnly: true },
      }),
      expect.objectContaining({ id: 'sign', type: 'signature', options: { control: 'signature' } }),
    ]);
    const variants = (schema as { items: { anyOf: { properties: Record<string, unknown> }[] } }).items.anyOf;
    expect(variants.map(({ properties }) => properties.value)).toEqual([
      { $ref: '#/$defs/textValue', maxLength: 9 },
      { enum: ['', 'de', 'fr'] },
    ]);
  });

  test('with wrong values is refused with the paths of the request', async () => {
    const image = { id: 'sign', type: 'image', value: null, options: {} } as const;
    const { code, details } = await failureOf([text('name', 'Ada'), text('land', 'it'), image]);
    expect(code).toBe('VALIDATION_ERROR');
    expect(details).toEqual([
      { field: 'fields[1].value', issue: 'must be an option of the field: `de`, `fr`' },
      { field: 'fields[2].type', issue: 'must be `text` for this field' },
    ]);
    const picture = { ...image, type: 'signature' } as const;
    const sized = { ...image, options: { dimensions: { width: 10 } } };
    expect((await failureOf([picture, sized])).details).toEqual([
      { field: 'fields[0].type', issue: 'must be `text` or `image` for a PDF form' },
      { field: 'fields[1].options.dimensions', issue: 'is not for a PDF form: its button has a size' },
    ]);
  });

  test('is refused for an unknown field with `onMissing=error`', async () => {
    const { code, details } = await failureOf([text('nobody', 'x')], { ...IGNORE, onMissing: 'error' });
    expect(code).toBe('FIELD_NOT_FOUND');
    expect(details).toEqual([{ field: 'fields[0].id', issue: '“nobody” matches nothing in the template' }]);
  });
});

/** Fields with a hierarchy: `order.name`, `order.lines[0]`, `order.lines[1]`, `tags`, `agree`, `logo`, and one to sign. */
const ORDER = classicPdf(
  onePage(
    `/Annots[${[7, 8, 9, 10, 11, 12, 13].map((num) => `${num} 0 R`).join(' ')}]`,
    '/AcroForm<</Fields[6 0 R 10 0 R 11 0 R 12 0 R 13 0 R]/DA(/Helv 12 Tf 0 g)/DR<</Font<</Helv 5 0 R>>>>>>',
    [
      '<</T(order)/Kids[7 0 R 8 0 R 9 0 R]>>',
      `<<${WIDGET}/Parent 6 0 R/FT/Tx/T(name)/Rect[50 400 200 420]>>`,
      `<<${WIDGET}/Parent 6 0 R/FT/Tx/T(lines[0])/V(first)/Rect[50 370 200 390]>>`,
      `<<${WIDGET}/Parent 6 0 R/FT/Tx/T(lines[1])/V(second)/Rect[50 340 200 360]>>`,
      `<<${WIDGET}/FT/Ch/T(tags)/Ff ${1 << 21}/Opt[(a)(b)(c)]/Rect[50 270 200 330]>>`,
      `<<${WIDGET}/FT/Btn/T(agree)/AP<</N<</Yes 4 0 R>>>>/Rect[50 240 62 252]>>`,
      `<<${WIDGET}/FT/Btn/T(logo)/Ff ${1 << 16}/Rect[50 150 150 230]>>`,
      `<<${WIDGET}/FT/Sig/T(sign)/Rect[50 50 200 110]>>`,
    ],
  ),
);
const BY_DEFAULT = { onMissing: 'empty', onUnused: 'report' } as const;
type FormData = Parameters<typeof fillPdfFormWithData>[0];
const withData = (
  data: FormData['data'],
  options: Partial<FormData['options']> = {},
  images: Buffer = Buffer.alloc(0),
) => fillPdfFormWithData({ source: ORDER, data, images, options: { ...BY_DEFAULT, ...options } });
const currentOf = (pdf: Buffer) =>
  Object.fromEntries(inspectPdfForm(pdf).fields.map(({ id, current }) => [id, current]));

test('an encrypted PDF form is listed and filled with its password, and stays encrypted', async () => {
  const source = await encryptedBy(FORM, { user: 'käse', owner: 'owner' });
  const data = { name: 'Ada' };
  const request = { source, data, ...NOTHING, options: { onMissing: 'empty', onUnused: 'report' } } as const;
  expect(() => inspectPdfForm(source)).toThrow(expect.objectContaining({ code: 'PASSWORD_REQUIRED' }));
  await expect(fillPdfFormWithData({ ...request, password: 'x' })).rejects.toMatchObject({
    code: 'PASSWORD_WRONG',
  });
  for (const password of ['käse', 'owner']) {
    const { bytes } = await fillPdfFormWithData({ ...request, password });
    expect(() => inspectPdfForm(bytes)).toThrow(expect.objectContaining({ code: 'PASSWORD_REQUIRED' }));
    expect(inspectPdfForm(bytes, undefined, password).fields[0]).toMatchObject({ current: 'Ada' });
  }
  const flat = await fillPdfForm({
    ...{ ...NOTHING, source, password: 'owner', fields: [text('name', 'Ada')] },
    options: { onMissing: 'ignore', flatten: true },
  });
  expect(inspectPdfForm(flat.bytes, undefined, 'owner').fields.map(({ id }) => id)).toEqual(['sign']);
});

describe('a PDF form with data', () => {
  test('has a schema of it, without signatures and fields that cannot be filled', () => {
    const text = { type: ['string', 'number', 'null'] };
    expect(inspectPdfForm(ORDER).template.schema).toMatchObject({
      type: 'object',
      properties: {
        order: { type: 'object', properties: { name: text, lines: { type: 'array', items: text } } },
        tags: { type: ['array', 'string', 'null'], items: { enum: ['a', 'b', 'c'] } },
        agree: { enum: [true, false, 'true', 'false', '', 'Yes', null] },
        logo: { type: ['object', 'null'], required: ['$image'] },
      },
    });
    expect(inspectPdfForm(FORM).template.schema).toEqual({
      $schema: expect.any(String),
      type: 'object',
      properties: { name: { ...text, maxLength: 9, title: 'Your name' } },
    });
  });

  test('takes nested names, lists and images, and leaves other fields as they are', async () => {
    const logo = plainPng('rgb', 4);
    const { bytes, report } = await withData(
      {
        order: { name: 12.5, lines: ['x', null] },
        tags: ['a', 'c'],
        agree: true,
        logo: { $image: { source: { start: 0, bytes: logo.length } } },
      },
      {},
      logo,
    );
    expect(currentOf(bytes)).toMatchObject({
      'order.name': '12.5',
      'order.lines[0]': 'x',
      'order.lines[1]': '',
      tags: 'a\nc',
      agree: 'Yes',
    });
    expect(report).toMatchObject({ filled: 6, unmatched: { count: 0 }, unused: { count: 0 } });
    const dotted = await withData({ 'order.name': 'Ada', 'order.lines[1]': 'y' });
    expect(currentOf(dotted.bytes)).toMatchObject({
      'order.name': 'Ada',
      'order.lines[0]': 'first',
      'order.lines[1]': 'y',
    });
  });

  test('counts what the data lacks and what no field takes, or refuses it', async () => {
    const data = { order: { name: 'Ada', lines: ['x', 'y', 'z'], note: { deep: 1 } }, tags: [], more: {} };
    const { report } = await withData(data);
    expect(report).toMatchObject({
      unmatched: { count: 1, names: ['data.agree'] },
      unused: { count: 3, names: ['data.order.lines[2]', 'data.order.note', 'data.more'] },
    });
    const { unmatched, unused } = report;
    expect(inspectPdfForm(ORDER, data).template.data).toEqual({ unmatched, unused });
    await expect(withData(data, { onMissing: 'error' })).rejects.toMatchObject({
      code: 'DATA_MISSING',
      details: [{ field: 'data.agree', issue: 'is missing' }],
    });
    await expect(withData(data, { onUnused: 'error' })).rejects.toMatchObject({ code: 'DATA_UNUSED' });
    expect((await withData([1, 2])).report).toMatchObject({ filled: 0, unused: { count: 2 } });
  });

  test.each<[string, FormData['data'], string, RegExp]>([
    ['an unknown option', { tags: ['a', 'd'] }, 'data.tags', /must be/],
    ['a list of other values', { tags: ['a', 1] }, 'data.tags', /list of texts/],
    ['a choice with a line end', { tags: ['a\nb'] }, 'data.tags', /list of texts/],
    [
      'two values for a field',
      { order: { name: 'a' }, 'order.name': 'b' },
      'data.order.name',
      /is for the field/,
    ],
    ['a text for a button', { logo: 'x' }, 'data.logo', /must be `image`/],
    [
      'an image for a text',
      { order: { name: { $image: { source: null } } } },
      'data.order.name',
      /must be `text`/,
    ],
    ['an image with a size', { logo: { $image: { source: null, width: 9 } } }, 'data.logo', /has a size/],
    ['another kind of value', { order: { name: { $html: '<b>' } } }, 'data.order.name', /`\$html`/],
    ['a text for a signature', { sign: 'Ada' }, 'data.sign', /`sign` signs/],
  ])('is refused for %s', async (_case, data, field, issue) => {
    await expect(withData(data)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field, issue: expect.stringMatching(issue) }],
    });
  });

  test('takes hostile names in linear time', async () => {
    const brackets = '[1]'.repeat(200_000);
    const data = Object.fromEntries([
      ['order', { [`name${brackets}`]: 1, [`lines${']'.repeat(200_000)}`]: 2 }],
    ]);
    expect((await withData(data)).report.unused?.count).toBe(2);
  });
});
