import { describe, expect, test } from '@jest/globals';
import { cpuMsSince } from '@scriptorium/testing/cpu-time';
import { few } from '@scriptorium/testing/extent';
import { bare, p } from '@scriptorium/testing/fixtures/word-markup';
import { foundIn } from './found.ts';

const TIMES = 100_000;
const MS_MAX = 10_000;

describe('a document full of delimiters', () => {
  const FULL: readonly [of: string, body: string][] = [
    ['opening braces', p(bare('{'.repeat(TIMES)))],
    ['closing braces', p(bare('}'.repeat(TIMES)))],
    ['unclosed statements', p(bare(`${'{%'.repeat(TIMES / 2)}%}`))],
    ['unclosed comments', p(bare(`${'{# '.repeat(TIMES)}#}{% if a %}`))],
    ['unclosed tags', p(bare(`${'{x'.repeat(TIMES / 2)}{y}`))],
    ['unclosed double braces', p(bare(`${'{{x'.repeat(TIMES / 4)}{{y}}`))],
    ['plus signs', p(bare('+++'.repeat(TIMES)))],
    ['unclosed commands, one a paragraph', p(bare('+++ INS a')).repeat(TIMES / 4)],
    ['unclosed changes of delimiters', p(bare('{=a '.repeat(TIMES)))],
    ['references', p(bare('&amp;{x}'.repeat(TIMES)))],
    ['line breaks', p(`<w:r>${'<w:t>{a</w:t><w:br/><w:t>b}</w:t>'.repeat(TIMES / 4)}</w:r>`)],
    ['white space', p(bare(`a${' '.repeat(TIMES)}${'{%- if x %} {%- endif -%}'.repeat(TIMES / 4)} b`))],
    ['one endless tag', p(bare(`{${'x '.repeat(TIMES)}}{y}`))],
    ['one endless statement', p(bare(`{% for a, b in ${'x '.repeat(TIMES)}%}`))],
    ['brackets', p(bare(`{{a}}${'[x]'.repeat(TIMES)}`))],
    ['different tags', p(Array.from({ length: TIMES / 4 }, (_, index) => bare(`{n${index}}`)).join(''))],
    ['unclosed loops', p(bare('{#x}'.repeat(TIMES / 2)))],
  ];

  test.each(few(FULL, 2))('is read in linear time: %s', async (_, body) => {
    const startedAt = process.cpuUsage();
    const found = await foundIn(body);
    expect(cpuMsSince(startedAt)).toBeLessThan(MS_MAX);
    expect(found.issues.length + found.marks.length).toBeLessThanOrEqual(TIMES);
  });

  test.each([['{% if a %}'], ['{{?x}}'], ['+++INS a+++']])(
    'is rejected if it has too many: %s',
    async (mark) => {
      const startedAt = process.cpuUsage();
      await expect(foundIn(p(bare(mark.repeat(TIMES + 1))))).rejects.toMatchObject({
        code: 'DOCUMENT_TOO_COMPLEX',
        message: expect.stringContaining('more than 100,000 placeholders'),
      });
      expect(cpuMsSince(startedAt)).toBeLessThan(MS_MAX);
    },
  );
});
