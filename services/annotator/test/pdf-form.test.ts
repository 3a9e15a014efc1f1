import { describe, expect, test } from '@jest/globals';
import type { Annotation } from '@scriptorium/docx-template/annotation';
import type { FieldValue } from '@scriptorium/docx-template/fields';
import { toAppError } from '@scriptorium/shared/to-app-error';
import { classicPdf } from '@scriptorium/testing/fixtures/pdf/build';
import { onePage } from '@scriptorium/testing/fixtures/pdf/documents';
import { fillPdfForm, inspectPdfForm } from '../src/pdf-form.ts';

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
