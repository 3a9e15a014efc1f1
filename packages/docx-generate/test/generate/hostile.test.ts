import { describe, expect, it } from '@jest/globals';
import { testInWhole } from '@scriptorium/testing/extent';
import { p, run } from '@scriptorium/testing/fixtures/word-markup';
import { fromBody } from './generated.ts';

const line = (text: string) => p(run(text));
const TEN = Array.from({ length: 10 }, (_, index) => index);

/** Templates and data that ask for more than a document may have, with the bound that the error names. */
const BEYOND: readonly (readonly [what: string, body: string, data: object, bound: RegExp])[] = [
  [
    '10,000 nested loops',
    line('{#a}'.repeat(10_000) + '{/a}'.repeat(10_000)),
    { a: true },
    /64 levels of nested loops/,
  ],
  [
    '60 nested lists of ten',
    line(`${'{#a}'.repeat(60)}x${'{/a}'.repeat(60)}`),
    { a: TEN },
    /100,000 repetitions/,
  ],
  ['1,000,000 marks', line('{a}'.repeat(1_000_000)), { a: 'x' }, /100,000 placeholders/],
  [
    'a large value in many copies',
    line('{#a}{b}{/a}'),
    { a: Array(10_000).fill(1), b: 'x'.repeat(100_000) },
    /bytes of XML/,
  ],
  [
    'a million evaluations',
    line(`{#a}${'{b}'.repeat(1_000)}{/a}`),
    { a: Array(2_000).fill(1), b: '' },
    /1,000,000/,
  ],
];

describe('a hostile template', () => {
  it.each(BEYOND)('with %s is refused with the bound', async (_what, body, data, bound) => {
    await expect(fromBody(body, data as never)).rejects.toMatchObject({
      code: 'DOCUMENT_TOO_COMPLEX',
      message: expect.stringMatching(bound),
    });
  });

  it('with absurd arguments of formatters is refused with the path', async () => {
    const texts = ['{a | number(999)}', '{a | padl(999999999)}', '{b | date(9)}', '{a | currency("€€€€")}'];
    for (const text of texts)
      await expect(fromBody(line(text), { a: 1, b: 'x' })).rejects.toMatchObject({
        code: expect.stringMatching(/^(?:VALIDATION_ERROR|TEMPLATE_INVALID)$/),
        details: expect.arrayContaining([expect.objectContaining({ issue: expect.any(String) })]),
      });
  });

  it('with a loop over a text is refused with the path of the text', async () => {
    await expect(fromBody(line('{% for x in a %}{{ x }}{% endfor %}'), { a: 'text' })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'data.a', issue: expect.stringContaining('must be a list or an object') }],
    });
  });

  testInWhole('fills 40,000 blocks in time that grows with their number', async () => {
    const { report } = await fromBody(line('{#a}{b}{/a}'.repeat(30_000)), { a: true, b: 'x' });
    expect(report.filled).toBe(30_000);
  });
});
