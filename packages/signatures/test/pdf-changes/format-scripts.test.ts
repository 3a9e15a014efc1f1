import { describe, expect, test } from '@jest/globals';
import { fieldLook } from '../attacks/pdf/documents.ts';
import { fieldsPdf, MORE } from '../attacks/pdf/looks-that-lie.ts';
import { edited, verdicts } from './revisions.ts';

/** What a value in a look means for the signature over a form with this script. */
function filled(script: string, value: string, look: string): string[] {
  const signed = fieldsPdf(script);
  const later = edited(signed, ({ set, add }) =>
    set(MORE.price, { V: `(${value})`, AP: `<</N ${add(fieldLook(look.replace(/[()]/g, '\\$&')))}>>` }),
  );
  return verdicts(signed, later);
}

// The results of the scripts: Acrobat's, as its "JavaScript for Acrobat API Reference" gives them.
describe('a value that a script of the form formats', () => {
  test.each([
    ['AFNumber_Format(2,0,0,0,"",false)', '1234.5', '1,234.50'],
    ['AFNumber_Format(2,2,0,0," EUR",false);', '-1234,5', '-1.234,50 EUR'],
    ['AFNumber_Format(0,1,2,0,"$",true)', '-7', '($7)'],
    ['AFPercent_Format(1,0)', '0.125', '12.5%'],
    ['AFDate_FormatEx("dd.mm.yyyy")', '2026-12-01', '01.12.2026'],
    ['AFDate_FormatEx("mmmm d, yyyy")', '12/1/2026', 'December 1, 2026'],
    ['AFDate_Format(1)', '12/1/2026', '12/1/26'],
    ['AFTime_Format(1)', '15:05', '3:05 pm'],
    ['AFSpecial_Format(2)', '5551234567', '(555) 123-4567'],
  ])('is permitted as the script shows it: %s of %s', (script, value, look) => {
    expect(filled(script, value, look)).toEqual(['permitted FIELD_VALUE']);
    // Programs that run no scripts show the value itself.
    expect(filled(script, value, value)).toEqual(['permitted FIELD_VALUE']);
  });

  test.each([
    ['AFNumber_Format(2,0,0,0," EUR",false)', '300', '-300'],
    ['AFNumber_Format(2,0,0,0," EUR",false)', '300', '300 million EUR'],
    ['AFNumber_Format(2,0,0,0," EUR",false)', '300', '(300.00 EUR)'],
    ['AFNumber_Format(2,0,0,0," million",false)', '300', '300.00 million'],
    ['AFNumber_Format(2,0,0,0,"-",true)', '300', '-300.00'],
    ['AFNumber_Format(2,0,0,0,"1",true)', '300', '1300.00'],
    ['AFNumber_Format(2,0,0,0," EUR",false)', 'approved', 'rejected'],
    ['AFNumber_Format(2,0,0,0,"",false)', '5', '500%'],
    ['AFNumber_Format(2,0,0,0,"",false)', '1.234', '1,234.00'],
    ['AFDate_FormatEx("yyyy-mm-dd")', '2026-12-01', '2026-11-02'],
    ['AFDate_FormatEx("dd.mm.yyyy")', '2026-12-01', '12.01.2026'],
    ['AFSpecial_Format(3)', '123456789', '123-45-6798'],
    ['event.value = event.value * 2', '1', '2'],
  ])('is a doubt as anything else: %s of %s as %s', (script, value, look) => {
    expect(filled(script, value, look)).toContain('doubtful FIELD_APPEARANCE');
  });
});

test.each([
  ['1000', '1 000'],
  ['1 000 000', '1000000'],
  ['Ada  Lovelace', 'Ada Lovelace'],
])(
  'a value may be shown with other spaces between groups of thousands and words: %s as %s',
  (value, look) => {
    expect(filled('', value, look)).toEqual(['permitted FIELD_VALUE']);
  },
);
