import { describe, expect, test } from '@jest/globals';
import { formPdf, plainPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import { SCRIPT, signedOnce } from './contract.ts';
import { edited, verdicts } from './revisions.ts';

describe('the differ', () => {
  test('forbids added text fields, and signature fields with actions', async () => {
    const signed = await signedOnce(formPdf());
    const add = (body: string) =>
      edited(signed, ({ set, add }) => {
        const field = add(body);
        const fields = `[6 0 R 7 0 R 9 0 R ${field}]`;
        set(1, {
          AcroForm: `<</Fields${fields}/SigFlags 3/DA(/Helv 12 Tf 0 g)/DR<</Font<</Helv 5 0 R>>>>>>`,
        });
        set(3, { Annots: fields });
      });
    const text = '<</Type/Annot/Subtype/Widget/FT/Tx/T(More)/V(x)/Rect[50 200 250 260]/P 3 0 R>>';
    expect(verdicts(signed, add(text))).toContain('forbidden FIELD_CHANGED');
    const signature = `<</Type/Annot/Subtype/Widget/FT/Sig/T(More)/A ${SCRIPT}/Rect[50 200 250 260]/P 3 0 R>>`;
    expect(verdicts(signed, add(signature))).toContain('forbidden ACTION');
  });

  test('forbids a signature widget outside the form', async () => {
    const signed = await signedOnce(formPdf());
    const later = edited(signed, ({ set, add }) => {
      const widget = add('<</Type/Annot/Subtype/Widget/FT/Sig/T(Loose)/Rect[50 200 250 260]/P 3 0 R>>');
      set(3, { Annots: `[6 0 R 7 0 R 9 0 R ${widget}]` });
    });
    expect(verdicts(signed, later)).toEqual(['forbidden FIELD_CHANGED']);
  });

  test('forbids removing a field from the form or a widget from its page', async () => {
    const signed = await signedOnce(formPdf());
    const less = edited(signed, ({ set }) => set(3, { Annots: '[6 0 R 7 0 R]' }));
    expect(verdicts(signed, less)).toEqual(['forbidden SIGNATURE_REPLACED']);
    const fewer = edited(signed, ({ set }) =>
      set(1, {
        AcroForm: '<</Fields[7 0 R 9 0 R]/SigFlags 3/DA(/Helv 12 Tf 0 g)/DR<</Font<</Helv 5 0 R>>>>>>',
      }),
    );
    expect(verdicts(signed, fewer)).toEqual(['forbidden FIELD_CHANGED']);
  });

  test('forbids filling in a locked field, and permits it for others', async () => {
    const signed = await signedOnce(formPdf(), { lock: { action: 'include', fields: ['Name'] } });
    const later = edited(signed, ({ set }) => set(6, { V: '(Eve)' }));
    const lock = { by: 'Signature1', action: 'Include' as const, fields: ['Name'] };
    expect(verdicts(signed, later, { locks: [lock] })).toEqual(['forbidden FIELD_LOCKED']);
    expect(verdicts(signed, later, { locks: [{ ...lock, fields: ['Other'] }] })).toEqual([
      'permitted FIELD_VALUE',
    ]);
    expect(verdicts(signed, later, { docMdp: 1, locks: [] })).toEqual(['forbidden FIELD_VALUE']);
  });

  test('reports a visible time-stamp as a signature', async () => {
    const signed = await signedOnce(plainPdf(), { certify: 'noChanges' });
    const visible = { page: 1, rectangle: { x: 50, y: 200, width: 200, height: 60 }, text: 'Bob' };
    const unlocked = Buffer.from(signed.toString('latin1').replace('/P 1/', '/P 2/'), 'latin1');
    const later = await signedOnce(unlocked, { appearance: visible });
    const text = later.toString('latin1');
    const at = text.lastIndexOf('/ETSI.CAdES.detached');
    const stamp = text.slice(0, at) + text.slice(at).replace('/ETSI.CAdES.detached', '/ETSI.RFC3161       ');
    expect(verdicts(unlocked, Buffer.from(stamp, 'latin1'), { docMdp: 1, locks: [] })).toContain(
      'forbidden SIGNATURE_ADDED',
    );
  });
});
