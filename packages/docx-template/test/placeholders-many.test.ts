import { describe, expect, test } from '@jest/globals';
import { cpuMsSince } from '@scriptorium/testing/cpu-time';
import { bare, p, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { fill, text } from './filling.ts';

describe('a document full of braces', () => {
  const TIMES = 100_000;
  const FULL: readonly [of: string, body: string][] = [
    ['opening ones', p(bare('{'.repeat(TIMES)))],
    ['closing ones', p(bare('}'.repeat(TIMES)))],
    ['doubled ones', p(bare('{{x}}'.repeat(TIMES / 4)))],
    ['opening ones, one per paragraph', p(bare('{')).repeat(TIMES)],
    ['pairs with nothing between', p(bare('{}'.repeat(TIMES / 2)))],
    ['opening ones with names, one per run', p(bare('{x').repeat(TIMES / 2))],
  ];

  test.each(FULL)('is filled as fast as any other document of its size: %s', async (_, body) => {
    const source = templateOf(body + p(bare('{name}')));
    const startedAt = process.cpuUsage();
    const { report } = await fill(source, [text({ id: 'name' }, 'Ada')]);
    expect(report.filled).toBe(1);
    expect(cpuMsSince(startedAt)).toBeLessThan(5_000);
  });

  test('is filled as fast if one run contains all of them', async () => {
    const source = templateOf(p(`<w:r>${'<w:t>{x}</w:t><w:tab/>'.repeat(30_000)}</w:r>`));
    const startedAt = process.cpuUsage();
    const { report } = await fill(source, [text({ id: 'x' }, 'Ada')]);
    expect(report.filled).toBe(30_000);
    expect(cpuMsSince(startedAt)).toBeLessThan(10_000);
  });

  test('is rejected if the text between them has very long formatting', async () => {
    const fonts = `<w:rFonts w:ascii="${'x'.repeat(30_000)}"/>`;
    await expect(
      fill(templateOf(p(bare('a{x}'.repeat(50_000), fonts))), [text({ id: 'x' }, '', false)]),
    ).rejects.toMatchObject({ code: 'DOCUMENT_TOO_COMPLEX' });
  });

  test('can have 50,000 filled placeholders', async () => {
    const body = p(bare('{x}'.repeat(100)).repeat(5)).repeat(100);
    const { report, xml } = await fill(templateOf(body), [text({ id: 'x' }, 'Ada')]);
    expect(report.filled).toBe(50_000);
    expect(xml()).not.toContain('{');
  });

  test('is rejected if it has too many placeholders', async () => {
    await expect(fill(templateOf(p(bare('{x}'.repeat(100_001)))), [])).rejects.toMatchObject({
      code: 'DOCUMENT_TOO_COMPLEX',
      message: expect.stringContaining('word/document.xml has more than 100,000 placeholders'),
    });
  });

  test('is rejected if one long value would fill very many placeholders', async () => {
    const value = 'x'.repeat(1_000_000);
    await expect(
      fill(templateOf(p(bare('{x}'.repeat(1_000)))), [text({ id: 'x' }, value)]),
    ).rejects.toMatchObject({ code: 'DOCUMENT_TOO_COMPLEX' });
  });
});
