import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { fetcherTo } from '@scriptorium/testing/pki/fetching';
import { judged } from '../attacks/judged.ts';

const file = (name: string): Buffer => readFileSync(new URL(`files/${name}`, import.meta.url));
/** While the certificates of the files are valid. */
const AT = { validationTime: '2026-11-28T00:00:00Z' };
const lab = { anchors: [new X509Certificate(file('root.pem')).raw], fetcher: fetcherTo() };

/** Files that PDFium and this service once showed as they were signed, and other readers did not. */
test.each([
  // Poppler and MuPDF repair these files, and find another object in the data for validation.
  'object-hidden-in-validation-data.pdf',
  'object-hidden-in-validation-data-size.pdf',
  // MuPDF draws the stamp over the page.
  'blocker-stamp-rect-dangling.pdf',
  // Poppler draws the leader line over the headline.
  'blocker-annotation-line-leader-far.pdf',
  // Poppler draws the signed 1000 as 9000.
  'form-resources-added.pdf',
  'look-date-with-month-and-day-digits-permuted.pdf',
  'look-formatted-text-is-another-text.pdf',
  'look-list-shows-only-100-value-10.pdf',
  // The program of a new font draws a 9 for the letter 1.
  'look-new-font-whose-1-draws-9.pdf',
  'look-number-100-shown-as-100-million.pdf',
  'look-number-100-shown-as-minus-100.pdf',
  'look-one-hebrew-letter-permits-any-order.pdf',
  'look-turned-by-MK-66-shown-as-99.pdf',
  // A relative link leads to another site.
  'docx-hyperlink-base-added.docx',
])('%s is not valid', async (name) => {
  const { verdict, documentModified } = await judged(lab, file(name), 'embedded', AT);
  expect(['indeterminate', 'invalid']).toContain(verdict);
  expect(documentModified).not.toBe('no');
});

/** Changes of honest writers. */
test.each([
  // iText 2 to 5 and OpenPDF write empty resources into a signature field.
  'honest-new-signature-field-with-empty-DR.pdf',
  // iText and qpdf write into the page what it inherits.
  'honest-note-page-with-inherited-boxes-inlined.pdf',
  // iText 7 writes equal arrays of the structure again.
  'honest-tagged-parent-tree-array-has-new-number.pdf',
])('%s is valid', async (name) => {
  expect((await judged(lab, file(name), 'embedded', AT)).verdict).toBe('valid');
});
