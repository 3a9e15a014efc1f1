import { describe, expect, test } from '@jest/globals';
import { classicPdf } from '@scriptorium/testing/fixtures/pdf/build';
import { onePage } from '@scriptorium/testing/fixtures/pdf/documents';
import { bodies, IMAGE, signedOnce } from './contract.ts';
import { edited, formXObject, verdicts } from './revisions.ts';

test.each([
  ['a number that MuPDF takes for it, in 32 bits', '/X 4294967303 0 R'],
  ['a name that ends with a reference for PDFium', '/X\x807\x800\x80R/Y'],
  ['another such name', '/X\xff7\xff\x800\xffR /Y'],
])('a new object that a signed page has by %s is forbidden', (_, name) => {
  const resources = Buffer.from(`<</XObject<<${name}>>>>`, 'latin1');
  const all = [...onePage('', '', [resources])];
  all[2] = '<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources 6 0 R/Annots[]>>';
  const signed = classicPdf(all);
  const look = formXObject('BT /F1 12 Tf (Ada) Tj ET').toString('latin1');
  const later = edited(signed, ({ add, set }) => {
    const form = add(look);
    const stamp = add(`<</Type/Annot/Subtype/Stamp/Rect[0 0 90 20]/AP<</N ${form}>>>>`);
    set(3, { Annots: `[${stamp}]` });
  });
  expect(verdicts(signed, later)).toEqual(['forbidden RESOURCE', 'permitted ANNOTATION_ADDED']);
});

describe('the differ forbids changing, for one of two uses,', () => {
  /** A file whose page also draws the look of the field. */
  const shared = (pageKeys: string, more: string[] = []) => {
    const all = bodies();
    all[2] = `<</Type/Page/Parent 2 0 R/Contents 4 0 R/Annots 16 0 R/Resources<</XObject<</Look 9 0 R>>>>${pageKeys}>>`;
    return classicPdf([...all, '[6 0 R 7 0 R]', ...more]);
  };

  test('the look of a field that a page draws', async () => {
    const signed = await signedOnce(shared(''));
    const later = edited(signed, ({ set, put }) => {
      set(6, { V: '(Eve)' });
      put(9, formXObject('BT /F1 12 Tf (Eve) Tj ET', '/Font<</F1 5 0 R>>'));
    });
    expect(verdicts(signed, later)).toContain('forbidden SHARED_OBJECT');
  });

  test('a list of annotations that two pages have', async () => {
    const all = bodies();
    all[2] = '<</Type/Page/Parent 2 0 R/Contents 4 0 R/Annots 16 0 R>>';
    all[9] = '<</Type/Page/Parent 2 0 R/Contents 11 0 R/Annots 16 0 R>>';
    const signed = await signedOnce(classicPdf([...all, '[6 0 R 7 0 R]']));
    const later = edited(signed, ({ put, add }) =>
      put(16, `[6 0 R 7 0 R ${add('<</Type/Annot/Subtype/Text/Rect[0 0 9 9]>>')}]`),
    );
    expect(verdicts(signed, later)).toContain('forbidden SHARED_OBJECT');
  });

  test('a validation store that is a resource of a page', async () => {
    const signed = await signedOnce(
      classicPdf(onePage('/Resources<</XObject 6 0 R>>', '/DSS 6 0 R', ['<</Certs[]>>'])),
    );
    const later = edited(signed, ({ set, add }) => set(6, { Im0: add(IMAGE) }));
    expect(verdicts(signed, later)).toEqual(['forbidden SHARED_OBJECT']);
  });

  test('a field that is a resource of a page', async () => {
    const all = bodies();
    all[2] = '<</Type/Page/Parent 2 0 R/Contents 4 0 R/Annots[6 0 R]/Resources<</ExtGState 6 0 R>>>>';
    const signed = await signedOnce(classicPdf(all));
    expect(
      verdicts(
        signed,
        edited(signed, ({ set }) => set(6, { V: '(Eve)' })),
      ),
    ).toContain('forbidden SHARED_OBJECT');
  });
});
