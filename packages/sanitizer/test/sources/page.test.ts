import { describe, expect, test } from '@jest/globals';
import { prepare, refusal } from './sanitizer-under-test.ts';

/** The text of a page that its reader sees, and what the report names. */
async function seen(html: string): Promise<{ text: string; dropped: (string | undefined)[] }> {
  const { bytes, dropped } = await prepare('html', html);
  const [, body = ''] = bytes.toString().split('</head>');
  const text = body
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return { text, dropped: dropped.map(({ detail }) => detail) };
}

const css = (rules: string, body: string) => `<style>${rules}</style>${body}`;

describe('a page hides', () => {
  test.each([
    ['what is not displayed', '<p style="display:none">X</p>'],
    ['the same in a row', '<table><tr style="DISPLAY : NONE !IMPORTANT"><td>X</table>'],
    ['the attribute hidden', '<p hidden>X</p><p HIDDEN=hidden>X</p>'],
    ['a closed dialog', '<dialog>X</dialog>'],
    ['what is invisible, with its pictures', '<div style="visibility:hidden">X<p>X</p></div>'],
    [
      'what has no opacity, at any depth',
      '<div style="opacity:0"><p style="visibility:visible;opacity:1">X</p></div>',
    ],
    ['text without a size', '<div style="font-size:0">X<b>X</b><span style="font-size:2em">X</span></div>'],
    ['the same in a shorthand', '<p style="font:0/0 a">X</p>'],
    ['transparent text', '<p style="color:rgba(1, 2, 3, 0)">X</p>'],
    ['a preheader', '<div style="max-height:0;overflow:hidden">X</div>'],
    [
      'a text for screen readers',
      css('.sr{position:absolute;width:1px;height:1px;overflow:hidden}', '<span class=sr>X</span>'),
    ],
    ['a clipped text', '<span style="position:absolute;clip:rect(0 0 0 0)">X</span>'],
    [
      'text far to the left',
      '<p style="position:absolute;left:-9999px">X</p><p style="text-indent:-999em">X</p>',
    ],
    ['a class', css('.a.b{display:none}', '<p class="b c a">X</p>')],
    [
      'a class with an entity, in small and great letters',
      css('P.a\\&b{display:none}', '<P CLASS="a&amp;b">X</P>'),
    ],
    ['an id in an element', css('#i > p, nothing{display:none}', '<div id=i><p>X</p></div>')],
    ['an attribute', css('[data-x="1"]{display:none}', '<p data-x=1>X</p>')],
    ['a place', css('p+p.x, i:nth-child(2n+2){display:none}', '<p><b></b></p><p class=x>X</p><i>X</i>')],
    [
      'a rule for paper',
      css('@media screen{.x{display:block}} @media print{.x{display:none}}', '<p class=x>X</p>'),
    ],
    ['a sheet for paper', '<style media=print>.x{display:none}</style><p class=x>X</p>'],
    ['a rule that matters more', css('#i{display:none} p.x{display:block}', '<p class=x id=i>X</p>')],
    ['an important rule', css('p{display:none!important}', '<p style="display:block">X</p>')],
    ['a rule that comes after', '<p class=x>X</p><style>.x{display:none}</style>'],
    ['a rule after a text with a brace', css('b::after{content:"}"} p.x{display:none}', '<p class=x>X</p>')],
    [
      'a variable',
      css(
        ':root{--a:var(--b);--b:none}.x{display:var(--a)}',
        '<p class=x>X</p><p style="display:var(--c, none)">X</p>',
      ),
    ],
    ['an unclosed element', '<div style="display:none"><p>X<b>X</div>'],
    ['a paragraph that another ends', '<p style="display:none">X<p></p>'],
    ['a cell with a table', '<table><tr><td style="display:none"><table><tr><td>X</table>X</table>'],
    ['the first of two attributes', '<p style="display:none" style="display:block">X</p>'],
    ['a template', '<template>X</template>'],
  ])('%s', async (_name, html) => {
    expect(await seen(`${html}<h6>after</h6>`)).toEqual({ text: 'after', dropped: [] });
  });
});

describe('a page shows', () => {
  test.each([
    [
      'a rule that is undone',
      css('p{display:none !important} .k{display:block !important}', '<p class=k>X</p>'),
      'X',
    ],
    [
      'visible text in invisible',
      '<p style="visibility:hidden">-<b style="visibility:visible">X</b></p>',
      'X',
    ],
    [
      'text with a size in text without',
      '<div style="font-size:0"><p style="font-size:9pt">X</p></div>',
      'X',
    ],
    ['a hidden element that a rule displays', css('p{display:block}', '<p hidden>X</p>'), 'X'],
    [
      'what only screens hide',
      css('@media only screen and (max-width:600px){p{display:none}}', '<p>X</p>'),
      'X',
    ],
    ['what only other programs read', '<!--[if mso]><style>p{display:none}</style><![endif]--><p>X</p>', 'X'],
    ['a title of a style', '<p title="<style>p{display:none}</style>">X</p>', 'X'],
    ['a box of a ratio', '<div style="height:0;padding-bottom:50%;overflow:hidden">X</div>', 'X'],
    ['states that paper has not', css('p:hover,p:not(.x){display:none}', '<p class=x>X</p>'), 'X'],
    [
      'the footer of a table last',
      '<table><tfoot><tr><td>F<tbody><tr><td>1<thead><tr><td>H</table>',
      'H 1 F',
    ],
    [
      'texts of style sheets',
      css('b::before{content:"\\201C a\\A b" attr(title)} b:after{content:\';\'}', '<b title="&lt;c>">X</b>'),
      '“a b&lt;c&gt; X ;',
    ],
    ['quotation marks', '<p lang=de><q>a<q>b</q></q></p>', '„a ‚b‘ “'],
    [
      'values of inputs',
      '<input value=a><input type=checkbox checked><input type=radio><input type=password value=ab><input type=hidden value=h>',
      'a ☑ ○ ••',
    ],
    [
      'texts of other controls',
      '<textarea>\na\n&lt;b</textarea><select><option>1<option selected>2</select>',
      'a &lt;b 2',
    ],
    [
      'numbers that LibreOffice has not',
      '<ol start=9 style="list-style-type:decimal-leading-zero"><li>a<li>b</ol>',
      '09. a 10. b',
    ],
    [
      'counters',
      css(
        'ol{counter-reset:i} li{counter-increment:i} li::before{content:counters(i,".") counter(i, upper-roman)}',
        '<ol style="list-style:none"><li>a<ol><li>b<li>c</ol><li>d</ol>',
      ),
      '1Ia 1.1Ib 1.2IIc 2IId'.replace(/([IV]+)/g, '$1 '),
    ],
    ['letters from the right', '<bdo dir=rtl>ab</bdo>', '\u202eab\u202c'],
  ])('%s', async (_name, html, text) => {
    expect(await seen(html)).toEqual({ text, dropped: [] });
  });
});

describe('the report names', () => {
  test.each([
    ['a counter', css('b::before{content:counter(page) ". "}', '<b>X</b>'), 'content: counter(page) ". "'],
    ['a selector that is not understood', css('b:has(i){display:none}', '<b>X</b>'), 'b:has(i)'],
    [
      'a query that is not understood',
      css('@media (width < 9px){b{display:none}}', '<b>X</b>'),
      '@media (width < 9px)',
    ],
    ['a variable of an element', css('b{--a:none;display:var(--a)}', '<b>X</b>'), 'display: var(--a)'],
    ['a marker', '<ol style="list-style-type:hebrew"><li>X</ol>', 'list-style-type: hebrew'],
    ['a break in a table', '<table><tr style="break-before:page"><td>X</table>', 'break-before in a table'],
    ['a hidden column', '<table><col style="visibility:collapse"><tr><td>X</table>', 'visibility: collapse'],
  ])('%s', async (_name, html, detail) => {
    expect(await seen(html)).toEqual({ text: 'X', dropped: expect.arrayContaining([detail]) });
  });
});

test.each([
  ['before', css('h2{break-before:page}', '<h2>1</h2><h2>2</h2>'), '2'],
  ['after', '<div style="page-break-after:always">1</div>2<b>3</b><p>4', '2'],
  ['by an empty element', '<p>1</p><div style="break-after:page"></div><div><div><p>2', '2'],
  ['before a table', '<p style="page-break-after:always">1</p><table><tr><td>2</table>', 'table'],
])('a page breaks %s, in a way that LibreOffice obeys', async (_name, html, start) => {
  const { bytes } = await prepare('html', html);
  const parts = bytes.toString().split('page-break-before: always');
  expect(parts).toHaveLength(2);
  expect(
    /(?:<(?=table)|>)([^<>]+)/.exec(`${parts[0]?.slice(-80).match(/<[^<]*$/)?.[0]}${parts[1]}`)?.[1],
  ).toMatch(start);
});

test('numbers of reversed lists count down, and lists without markers have none', async () => {
  const page =
    '<ol reversed type=i><li>a<li>b</ol><ul style="list-style:none"><li>c</ul><ol><li style="list-style:none">d<li>e</ol>';
  const { bytes } = await prepare('html', page);
  const [items] = /<div>ii.*<\/li>/s.exec(bytes.toString()) ?? [];
  expect(items?.replace(/<\/?[ou]l[^>]*>/g, '')).toBe(
    '<div>ii. a</div><div>i. b</div><div>c</div><div>d</div><li value="2">e</li>',
  );
});

test('SVG pictures are drawn, at the size that their styles give', async () => {
  const circle = '<svg viewbox="0 0 9 9" style="width:40px"><circle cx=4 cy=4 r=4 fill=red /></svg>';
  const { bytes, dropped } = await prepare('html', `<p>${circle}<svg><script>x()</script></svg></p>`);
  expect(bytes.toString()).toMatch(
    /<p><img src="data:image\/png;base64,[^"]+" width="40" height="40" alt="" \/>/,
  );
  expect(dropped.map(({ what }) => what)).toEqual(['active content', 'SVG image']);
});

test('style sheets with too many rules for the elements are refused', async () => {
  const rules = Array.from({ length: 2_000 }, (_, i) => `i ~ .x${i}, i i i i .y {display:none}`).join('');
  const { code, message } = await refusal('html', css(rules, '<i class="x1 y">X</i>'.repeat(20_000)));
  expect([code, message]).toEqual(['DOCUMENT_TOO_COMPLEX', expect.stringContaining('style sheets')]);
});
