import { describe, expect, test } from '@jest/globals';
import { BOUNDS } from '@scriptorium/ooxml/bounds';
import { openPackage } from '@scriptorium/ooxml/package';
import { cpuMsSince } from '@scriptorium/testing/cpu-time';
import { BOMB_MS_MAX, partsOf, prepare, refusal } from './sanitizer-under-test.ts';

async function bodyOf(text: string | Buffer): Promise<string> {
  const { bytes } = await prepare('txt', text);
  return (await partsOf(bytes))['word/document.xml'] ?? '';
}

/** The text of each paragraph, with tabs and page breaks as their original characters. */
async function paragraphsOf(text: string | Buffer): Promise<string[]> {
  const body = (await bodyOf(text)).replaceAll('<w:tab/>', '\t').replaceAll('<w:br w:type="page"/>', '\f');
  return [...body.matchAll(/<w:p>(.*?)<\/w:p>/gs)].map(([, inner = '']) => inner.replace(/<[^>]+>/g, ''));
}

describe('plain text', () => {
  test('becomes a DOCX that passes the DOCX sanitizer', async () => {
    const { bytes, engineSource, dropped } = await prepare('txt', 'One\nTwo');
    expect({ engineSource, dropped }).toEqual({ engineSource: 'docx', dropped: [] });
    const document = await openPackage(bytes);
    expect([...document.parts.keys()]).toEqual(['word/document.xml', 'word/styles.xml', 'word/settings.xml']);
  });

  test('keeps its lines, spaces, tabs and form feeds', async () => {
    expect(await paragraphsOf('first\r\n  two  blanks\n\n\tafter a tab\rold Mac\fnew page\n')).toEqual([
      'first',
      '  two  blanks',
      '',
      '\tafter a tab',
      'old Mac\fnew page',
    ]);
  });

  test('keeps text that looks like markup', async () => {
    expect(await paragraphsOf('if a < b && c > d: "<w:p/>" & ]]>')).toEqual([
      'if a &lt; b &amp;&amp; c &gt; d: &quot;&lt;w:p/&gt;&quot; &amp; ]]&gt;',
    ]);
  });

  test('is right-to-left if its first letter is Hebrew or Arabic', async () => {
    expect(await bodyOf('12 שלום')).toContain('<w:bidi/>');
    expect(await bodyOf('12 Hello שלום')).not.toContain('<w:bidi/>');
  });

  test.each([
    ['UTF-8', Buffer.from('Grüße €')],
    ['UTF-8 with a byte order mark', Buffer.from('\ufeffGrüße €')],
    ['little-endian UTF-16', Buffer.from('\ufeffGrüße €', 'utf16le')],
    ['big-endian UTF-16', Buffer.from('\ufeffGrüße €', 'utf16le').swap16()],
    ['windows-1252', Buffer.from('4772fcdf652080', 'hex')],
  ])('is read in %s', async (_name, bytes) => {
    expect(await paragraphsOf(bytes)).toEqual(['Grüße €']);
  });

  test('loses terminal escapes and the end mark of DOS', async () => {
    expect(await paragraphsOf('\u001b[1mbold\u001b[0m\nend\u001a')).toEqual(['[1mbold[0m', 'end']);
  });

  test('is cut in an endless line between words, and never inside a character', async () => {
    const words = await paragraphsOf('twelve chars '.repeat(1000));
    expect(words.join('')).toBe('twelve chars '.repeat(1000));
    expect(words.every((piece) => piece.length <= 4000 && /^(?:twelve|chars) /.test(piece))).toBe(true);
    const pairs = await paragraphsOf(`a${'😀'.repeat(5000)}`);
    expect(pairs.join('')).toBe(`a${'😀'.repeat(5000)}`);
  });

  test.each([
    ['an empty file', Buffer.alloc(0)],
    ['zeros', Buffer.alloc(100)],
    ['a file with a NUL', Buffer.from('looks like text\0but is not')],
    ['UTF-16 without a byte order mark', Buffer.from('Hello', 'utf16le')],
  ])('must not be %s', async (_name, bytes) => {
    expect(await refusal('txt', bytes)).toMatchObject({ code: 'INVALID_FILE_FORMAT' });
  });

  test.each([
    ['lines', '\n'.repeat(BOUNDS.textLinesMax + 1)],
    ['page breaks', '\f'.repeat(BOUNDS.textLinesMax + 1)],
    ['characters in one line', 'x'.repeat(24 * 1024 * 1024)],
  ])('with too many %s is rejected with the bound', async (_name, text) => {
    const startedAt = process.cpuUsage();
    const { code, message } = await refusal('txt', text);
    expect({ code, message }).toEqual({
      code: 'DOCUMENT_TOO_COMPLEX',
      message: 'The document has more than 100,000 lines of text.',
    });
    expect(cpuMsSince(startedAt)).toBeLessThan(BOMB_MS_MAX);
  });
});
