import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Ref } from '@scriptorium/pdf/read';
import { formPdf, plainPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import { type OpensslKey, opensslKey } from '@scriptorium/testing/openssl-signing';
import { readPdfEvidence } from '../src/pades/pdf-evidence.ts';
import { changeText } from '../src/reports/sentences.ts';
import { replaced, updated } from './pdf-edits.ts';
import { signed } from './signing.ts';

let key: OpensslKey;
beforeAll(async () => {
  key = await opensslKey('Ada');
});
afterAll(() => key.remove());

/** Sets the value of the form's field `Name`. */
const filledIn = (pdf: Buffer, value: string): Buffer =>
  updated(pdf, (update) => {
    const keys =
      '/Type/Annot/Subtype/Widget/FT/Tx/T(Name)/DA(/Helv 12 Tf 0 g)/F 4/Rect[50 400 200 420]/P 3 0 R';
    update.replace(new Ref(6, 0), `<<${keys}/V(${value})>>`);
  });

/** Returns the changes after each signature, as `LEVEL CODE`. */
const changesOf = (pdf: Buffer): Record<string, string[]> =>
  Object.fromEntries(
    readPdfEvidence(pdf).signatures.map(({ id, modifications }) => [
      id,
      modifications.map(({ level, code }) => `${level} ${code}`),
    ]),
  );

test('filling in a form counts as a change after the first signature but not before', async () => {
  const once = await signed(filledIn(formPdf(), 'Bob'), key, { field: 'Signature' });
  expect(changesOf(once)).toEqual({ Signature: [] });
  const later = filledIn(once, 'Eve');
  expect(changesOf(later)).toEqual({ Signature: ['permitted FIELD_VALUE'] });
  const [change] = readPdfEvidence(later).signatures[0]?.modifications ?? [];
  expect(change).toMatchObject({ field: 'Name', page: 1, values: { before: 'Bob', after: 'Eve' } });
  expect(change && changeText(change)).toBe(
    'A form field was filled in: “Name”, page 1, from “Bob” to “Eve”.',
  );
});

test('a lock counts for the signature that set it, but not for earlier ones', async () => {
  const once = await signed(formPdf(), key, { field: 'Signature' });
  const lock = { action: 'include' as const, fields: ['Name'] };
  const twice = await signed(once, key, { field: 'Second', lock });
  const changes = changesOf(filledIn(twice, 'Eve'));
  expect(changes.Signature).toEqual(['permitted SIGNATURE_ADDED', 'permitted FIELD_VALUE']);
  expect(changes.Second).toEqual(['forbidden FIELD_LOCKED']);
});

test('a lock and a certification count for later signatures', async () => {
  const lock = { action: 'include' as const, fields: ['Name'] };
  const certified = await signed(formPdf(), key, { certify: 'formFilling', lock });
  const twice = await signed(certified, key, { field: 'Signature' });
  const changes = changesOf(filledIn(twice, 'Eve'));
  expect(changes.Signature).toEqual(['forbidden FIELD_LOCKED']);
  expect(changes.Signature1).toEqual(['permitted SIGNATURE_ADDED', 'forbidden FIELD_LOCKED']);
});

test('replacing the signed page is a forbidden change, also if the signed page is no longer referenced', async () => {
  const once = await signed(plainPdf(), key);
  const changed = updated(once, (update) =>
    update.replace(new Ref(4, 0), '<</Length 0>>\nstream\n\nendstream'),
  );
  expect(changesOf(changed).Signature1).toEqual(['forbidden PAGE_CONTENT']);
  const cut = replaced(changed, '/Prev', '/Last');
  expect(changesOf(cut).Signature1).toContainEqual(expect.stringContaining('forbidden'));
});
