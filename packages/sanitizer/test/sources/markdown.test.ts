import { describe, expect, test } from '@jest/globals';
import { BOUNDS } from '@scriptorium/ooxml/bounds';
import { cpuMsSince } from '@scriptorium/testing/cpu-time';
import { png } from '@scriptorium/testing/fixtures/not-docx';
import { BOMB_MS_MAX, prepare, refusal } from './sanitizer-under-test.ts';

async function bodyOf(markdown: string): Promise<string> {
  const { bytes, engineSource } = await prepare('md', markdown);
  expect(engineSource).toBe('html');
  return bytes.toString('utf8');
}

describe('Markdown', () => {
  test.each([
    ['headings', '# One\n\nTwo\n---', '<h1>One</h1>\n<h2>Two</h2>'],
    ['emphasis', '*a* **b** ~~c~~ `d`', '<em>a</em> <strong>b</strong> <s>c</s> <code>d</code>'],
    ['links', '[x](https://example.org "t")', '<a href="https://example.org" title="t">x</a>'],
    ['nested lists', '- a\n  1. b', '<ul>\n<li>a\n<ol>\n<li>b</li>\n</ol>\n</li>\n</ul>'],
    ['quotations', '> a', '<blockquote>\n<p>a</p>\n</blockquote>'],
    ['code', '```js\nif (a < b) {}\n```', '<pre><code class="language-js">if (a &lt; b) {}\n</code></pre>'],
    ['tables', '|a|b|\n|-|-:|\n|1|2|', '<td style="text-align: right">2</td>'],
    ['umlauts', 'Grüße €', '<p>Grüße €</p>'],
    [
      'embedded pictures',
      `![dot](data:image/png;base64,${png().toString('base64')})`,
      `<img src="data:image/png;base64,${png().toString('base64')}" alt="dot" />`,
    ],
  ])('keeps its %s', async (_name, markdown, html) => {
    expect(await bodyOf(markdown)).toContain(html);
    expect((await prepare('md', markdown)).dropped).toEqual([]);
  });

  test('shows HTML as text', async () => {
    expect(await bodyOf('a <script>evil()</script> <b>b</b>')).toContain(
      '&lt;script&gt;evil()&lt;/script&gt; &lt;b&gt;b&lt;/b&gt;',
    );
  });

  test('loses external pictures, which are reported', async () => {
    const { bytes, dropped } = await prepare('md', '![a cat](http://evil/x.png) ![b](/etc/passwd)');
    expect(dropped.map(({ detail }) => detail)).toEqual(['http://evil/x.png', '/etc/passwd']);
    expect(bytes.toString()).toContain('a cat');
    expect(bytes.toString()).not.toMatch(/evil|passwd/);
  });

  test('loses links to scripts', async () => {
    expect(
      await bodyOf('[x](javascript:evil()) <javascript:evil()> [y](vnd.sun.star.script:evil)'),
    ).not.toMatch(/href/);
  });

  test('counts the address of a reference at each use', async () => {
    expect(await refusal('md', `[a]: <${'x'.repeat(10_000)}>\n\n${'[a] '.repeat(200)}`)).toMatchObject({
      code: 'DOCUMENT_TOO_COMPLEX',
    });
  });

  test('with more bytes than the bound is rejected', async () => {
    expect(await refusal('md', 'x'.repeat(BOUNDS.markdownBytesMax + 1))).toEqual({
      code: 'DOCUMENT_TOO_COMPLEX',
      message: 'The document has more than 1,048,576 bytes of Markdown.',
    });
  });

  test.each(['[', '![', '[a](', '*a_', '>', '- ', '**', '<', '`a', '|a', '\\', '[a][b]', '  - a\n'])(
    'of only %j is converted in time',
    async (piece) => {
      const startedAt = process.cpuUsage();
      await prepare('md', piece.repeat(200_000 / piece.length)).catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'DOCUMENT_TOO_COMPLEX' });
      });
      expect(cpuMsSince(startedAt)).toBeLessThan(BOMB_MS_MAX);
    },
  );
});
