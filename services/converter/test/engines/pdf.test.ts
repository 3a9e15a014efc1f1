import { describe, expect, test } from '@jest/globals';
import { cpuMsSince } from '@scriptorium/testing/cpu-time';
import { countPages } from '../../src/engines/pdf.ts';

/** A PDF of the given objects, numbered from 1, with a correct cross-reference table. */
function pdfOf(objects: string[]): Buffer {
  let text = '%PDF-1.7\n';
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`;
  return Buffer.from(`${text}${table}trailer\n<</Root 1 0 R>>\nstartxref\n${text.length}\n%%EOF\n`, 'latin1');
}

describe('the page count of a PDF', () => {
  test('comes from the page tree, whatever a content stream contains', () => {
    const decoy = '<</Length 20>>stream\n<</Type/Pages/Count 99>>\nendstream';
    expect(
      countPages(pdfOf(['<</Type/Catalog/Pages 3 0 R>>', decoy, '<</Type/Pages/Kids[]/Count 12>>'])),
    ).toBe(12);
  });

  test('is found quickly in a file that is made to take long', () => {
    const pdf = Buffer.alloc(100 * 2 ** 20, '\n');
    pdf.write('%PDF-1.7\nxref\n0 9999999999\n');
    pdf.write('\nstartxref\n9\n%%EOF\n', pdf.length - 18);
    const startedAt = process.cpuUsage();
    expect(() => countPages(pdf)).toThrow(expect.objectContaining({ kind: 'crashed' }));
    expect(cpuMsSince(startedAt)).toBeLessThan(5_000);
  });

  test.each([
    ['nothing', Buffer.alloc(0)],
    ['a wrong header', Buffer.from('PK\x03\x04 startxref\n1\n%%EOF')],
    ['a truncated file', pdfOf(['<</Pages 2 0 R>>', '<</Count 1>>']).subarray(0, -8)],
    ['no page', pdfOf(['<</Pages 2 0 R>>', '<</Count 0>>'])],
    ['no page tree', pdfOf(['<<>>'])],
    [
      'a wrong table',
      Buffer.from(pdfOf(['<</Pages 2 0 R>>', '<</Count 1>>']).toString().replace('%PDF-1.7', '%PDF-1.70')),
    ],
  ])('is refused for %s', (_name, bytes) => {
    expect(() => countPages(bytes)).toThrow(expect.objectContaining({ kind: 'crashed' }));
  });
});
