import { classicPdf, streamBody } from '@scriptorium/testing/fixtures/pdf/build';
import { onePage } from '@scriptorium/testing/fixtures/pdf/documents';
import { outcomeOf, withFiles } from '@scriptorium/testing/judges/programs';
import { type FilledForm, type FormEntry, fillForm } from '../../src/face/forms.ts';

const HELVETICA = '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>';
/** The number of the first object of a form's fields. */
export const FIRST = 8;

/** A page with a form whose fields are widgets of their own, from object `FIRST` on, each 30 points below the one before. */
export function formOf(
  fields: readonly string[],
  { formKeys = '', catalogKeys = '', pageKeys = '', more = [] as (string | Buffer)[] } = {},
): Buffer {
  const refs = fields.map((_, at) => `${FIRST + at} 0 R`).join(' ');
  const form = `/AcroForm<</Fields[${refs}]/DA(/Helv 12 Tf 0 g)/DR<</Font<</Helv 6 0 R>>>>${formKeys}>>${catalogKeys}`;
  const widgets = fields.map((keys, at) => {
    const top = 580 - 30 * at;
    const rect = keys.includes('/Rect') ? '' : `/Rect[50 ${top - 20} 250 ${top}]`;
    return keys.includes('/Kids')
      ? `<<${keys}>>`
      : `<</Type/Annot/Subtype/Widget/F 4/P 3 0 R${rect}${keys}>>`;
  });
  const mark = streamBody('/Type/XObject/Subtype/Form/BBox[0 0 20 20]', Buffer.from('5 5 10 10 re f'));
  return classicPdf(onePage(`/Annots[${refs}]${pageKeys}`, form, [HELVETICA, mark, ...widgets, ...more]));
}

/** Keys of a check box or of one radio button with this state. */
export const stateKeys = (on: string): string => `/AS/Off/AP<</N<</${on} 7 0 R>>>>`;

export function fill(pdf: Buffer, values: Readonly<Record<string, string>>, flatten = false): FilledForm {
  const entries: FormEntry[] = Object.entries(values).map(([name, value]) => ({ name, value }));
  return fillForm(pdf, entries, { flatten, onUnmatched: () => undefined });
}

/** What MuPDF lists of the fields. */
export const fieldsByMupdf = (pdf: Buffer): Promise<string> =>
  withFiles([pdf], '.pdf', async ([path = '']) => (await outcomeOf('mutool', ['show', path, 'form'])).text);
