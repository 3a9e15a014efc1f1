import { describe, expect, it, test } from '@jest/globals';
import { p, run } from '@scriptorium/testing/fixtures/word-markup';
import { fromBody } from './generated.ts';

const line = (text: string) => p(run(text));

describe('a missing list', () => {
  test.each([
    ['curly', '{#lines}{text}{/lines}'],
    ['poi-tl', '{{?lines}}{{text}}{{/lines}}'],
    ['jinja', '{% for l in lines %}{{ l.text }}{% endfor %}'],
    ['carbone', '{d.lines[i].text}{d.lines[i+1].text}'],
    ['command', '+++FOR l IN lines+++ +++= $l.text+++ +++END-FOR l+++'],
  ])('is counted in %s', async (_, text) => {
    const { report } = await fromBody(line(text), { line: [{ text: 'a' }] });
    expect(report.unmatched).toEqual({ count: 1, names: ['data.lines'] });
    const details = [{ field: 'data.lines' }];
    await expect(fromBody(line(text), {}, { onMissing: 'error' })).rejects.toMatchObject({
      code: 'DATA_MISSING',
      details,
    });
    expect((await fromBody(line(text), { lines: [] }, { onMissing: 'error' })).report.unmatched.count).toBe(
      0,
    );
  });

  it('is not one where the template says what is shown without it', async () => {
    const body = line('{#vip}Dear{/vip}{^vip}Hello{/vip}');
    expect((await fromBody(body, {}, { onMissing: 'error' })).shown()).toEqual(['Hello']);
  });
});
