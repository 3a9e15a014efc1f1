import { describe, expect, test } from '@jest/globals';
import { cpuMsSince } from '@scriptorium/testing/cpu-time';
import { png } from '@scriptorium/testing/fixtures/not-docx';
import { BOMB_MS_MAX, prepare, refusal } from './sanitizer-under-test.ts';

const PICTURE = `data:image/png;base64,${png().toString('base64')}`;

/** A PNG header that declares this many pixels per side. */
function hugePng(side: number): string {
  const bytes = Buffer.from(png());
  bytes.writeUInt32BE(side, 16);
  bytes.writeUInt32BE(side, 20);
  return `data:image/png;base64,${bytes.toString('base64')}`;
}

async function sanitized(html: string | Buffer): Promise<string> {
  const { bytes, engineSource } = await prepare('html', html);
  expect(engineSource).toBe('html');
  return bytes.toString('utf8');
}

async function droppedOf(html: string) {
  return (await prepare('html', html)).dropped.map(({ what, detail }) => [what, detail]);
}

describe('an HTML page', () => {
  test('keeps its text, structure, formatting, links and embedded pictures', async () => {
    const body =
      '<body style="font-size: 11pt"><h1 id="top">Report</h1><p class="box" style="color: red; margin: 2px">A <b>bold</b> ' +
      '<i>word</i>, <a href="https://example.org/?a=1&amp;b=2">a link</a> and <a href="#top">another</a>.</p>' +
      '<table border="1"><tr><th colspan="2">Both</th></tr><tr><td>1</td><td>2</td></tr></table>' +
      `<ul><li>one</li></ul><ol start="3"><li>three</li></ol><pre>a  b</pre><hr /><img src="${PICTURE}" alt="dot" width="10" /></body>`;
    const page = `<!DOCTYPE html><html><head><title>A &amp; B</title></head>${body}</html>`;
    const { bytes, dropped } = await prepare('html', page);
    expect(dropped).toEqual([]);
    expect(bytes.toString()).toContain(body);
    expect(bytes.toString()).toContain('<title>A &amp; B</title>');
    expect(bytes.toString()).toContain('charset=utf-8');
  });

  test('keeps the plain rules of its style sheets and its page size', async () => {
    const css =
      '@page { size: 210mm 297mm; margin: 2cm }\nh1, .box > p { color: rgb(1, 2, 3); border: 1px solid #abc }';
    expect(await sanitized(`<style>${css}</style><p>x</p>`)).toContain(css);
  });

  test('may be a fragment', async () => {
    expect(await sanitized('just <b>a word</b>')).toContain('just <b>a word</b>');
  });

  test.each([
    ['UTF-8', Buffer.from('<p>Grüße €</p>')],
    ['UTF-16', Buffer.from('\ufeff<p>Grüße €</p>', 'utf16le')],
    [
      'a declared windows-1252',
      Buffer.from('<meta charset="windows-1252"><p>Gr\xfc\xdfe \x80</p>', 'latin1'),
    ],
    ['an undeclared windows-1252', Buffer.from('<p>Gr\xfc\xdfe \x80</p>', 'latin1')],
    [
      'a declared ISO-8859-15',
      Buffer.from(
        '<meta http-equiv=content-type content="text/html; charset=iso-8859-15"><p>Gr\xfc\xdfe \xa4</p>',
        'latin1',
      ),
    ],
    ['an unknown charset', Buffer.from('<meta charset="klingon"><p>Grüße €</p>')],
  ])('in %s is read and written in UTF-8', async (_name, bytes) => {
    expect(await sanitized(bytes)).toContain('<p>Grüße €</p>');
  });
});

test('the HTML sanitizer keeps a style sheet after a letter that grows with its case, and the brackets of fonts', async () => {
  const rule = 'p { font-family: "Calibri (Body)", serif; color: rgb(1, 2, 3) }';
  expect(await sanitized(Buffer.from(`<p>İ</p><style>${rule}</style>`))).toContain(rule);
});

describe('the HTML sanitizer removes', () => {
  test.each([
    ['a script', '<script>evil()</script>', ['active content', 'script']],
    ['a remote script', '<script src="http://evil/"></script>', ['active content', 'script http://evil/']],
    [
      'a frame',
      '<iframe src="file:///etc/passwd"></iframe>',
      ['active content', 'iframe file:///etc/passwd'],
    ],
    ['an object', '<object data="http://evil/"></object>', ['active content', 'object http://evil/']],
    ['an embedded file', '<embed src="http://evil/">', ['active content', 'embed http://evil/']],
    ['an applet', '<applet code="evil"></applet>', ['active content', 'applet']],
    ['a base address', '<base href="http://evil/">', ['active content', 'base http://evil/']],
    [
      'a refresh',
      '<meta http-equiv="refresh" content="0;url=http://evil/">',
      ['active content', 'meta refresh 0;url=http://evil/'],
    ],
    ['an event handler', '<p onclick="evil()">x</p>', ['active content', 'p onclick']],
    [
      'an external style sheet',
      '<link rel="stylesheet" href="http://evil/">',
      ['external link', 'http://evil/'],
    ],
    ['a form', '<form action="http://evil/"><p>x</p></form>', ['form action', 'http://evil/']],
    ['an external picture', '<img src="http://evil/x.png">', ['external link', 'http://evil/x.png']],
    ['a picture of the host', '<img src="file:///etc/evil.png">', ['external link', 'file:///etc/evil.png']],
    ['a picture on a server', '<img src="//evil/x.png">', ['external link', '//evil/x.png']],
    ['an SVG picture', '<svg><image href="http://evil/"/></svg>', ['SVG image', undefined]],
    [
      'an SVG picture in a data URI',
      `<img src="data:image/png;base64,${Buffer.from('<svg>evil</svg>').toString('base64')}">`,
      ['image', expect.stringContaining('data:image/png')],
    ],
    ['a unsafe link', '<a href="javascript:evil()">x</a>', ['unsafe link', 'javascript:evil()']],
    [
      'a hidden unsafe link',
      '<a href="java&#10;script:evil()">x</a>',
      ['unsafe link', 'java\nscript:evil()'],
    ],
    ['a macro link', '<a href="vnd.sun.star.script:evil">x</a>', ['unsafe link', 'vnd.sun.star.script:evil']],
    [
      'a background',
      '<p style="background: url(http://evil/)">x</p>',
      ['style', 'background: url(http://evil/)'],
    ],
    ['an import', '<style>@import "http://evil/";</style><p>x</p>', ['style', '@import "http://evil/"']],
    [
      'a hidden address',
      '<style>p { background: u\\72l(http://evil/) }</style><p>x</p>',
      ['style', 'background: u\\72l(http://evil/)'],
    ],
    [
      'an external font',
      '<style>@font-face { font-family: x; src: url(http://evil/) }</style><p>x</p>',
      ['style', '@font-face'],
    ],
  ])('%s', async (_name, html, dropped) => {
    const page = `<p>before</p>${html}<p>after</p>`;
    expect(await droppedOf(page)).toContainEqual(dropped);
    const kept = await sanitized(page);
    expect(kept).not.toMatch(/evil|passwd|url\(/);
    expect(kept).toContain('before');
    expect(kept).toContain('after');
  });

  test('tags but not their text, and leaves the alternative text of a picture', async () => {
    const kept = await sanitized(
      '<form action="x"><p>form text</p></form><img src="http://evil/" alt="a cat"><blink>old</blink>',
    );
    expect(kept).toContain('form text');
    expect(kept).toContain('<span>a cat</span>');
    expect(kept).toContain('old');
  });

  test.each([
    '<p title="</p><script>evil()</script>">x</p>',
    '<noscript><p title="</noscript><script>evil()</script>">x</p></noscript>',
    '<textarea></textarea/><script>evil()</script>',
    '<style></style/><script>evil()</script><style>p{}</style>',
    '<title></title/><script>evil()</script>',
    '<svg><style><!--</style><script>evil()</script>--></style></svg>',
    '<scr<script>ipt>evil()</script>',
    '<p style="x" style=\'color:red"><script>evil()</script>\'>x</p>',
    '<style>p { color: red</style><script>evil()</script>}',
    '<style>a { } </sty/**/le><script>evil()</script></style>',
  ])('a hidden script: %s', async (html) => {
    const kept = await sanitized(`<p>text</p>${html}`);
    expect(
      kept.toLowerCase().match(/<(?!\/?(?:!doctype|html|head|meta|title|style|p|span|img)\b)\/?[a-z]/g),
    ).toBeNull();
    expect(kept).not.toMatch(/<script/i);
  });
});

describe('an HTML page', () => {
  const repeated = (piece: string) => `<p>${piece.repeat(Math.floor(1024 ** 2 / piece.length))}`;
  test.each([
    ['nested elements', repeated('<b>'), 'levels of nested elements'],
    ['nested tables', repeated('<table><tr><td>'), 'levels of nested tables'],
    ['paragraphs', repeated('<p>'), 'HTML elements'],
    ['cells', `<table><tr>${'<td>'.repeat(100_001)}`, 'table cells'],
    ['spanned cells', '<table><tr><td colspan="1000" rowspan="1000">x</td></tr></table>', 'table cells'],
    ['columns in one span', '<table><tr><td colspan="999999">x</td></tr></table>', 'table cells'],
    [
      'attributes',
      `<p ${Array.from({ length: 100_000 }, (_, i) => `a${i}=1`).join(' ')}>x</p>`,
      'attributes on one element',
    ],
    ['pixels', `<img src="${hugePng(60_000)}">`, 'pixels in one image'],
  ])('with too many %s is rejected with the bound', async (_name, html, bound) => {
    const startedAt = process.cpuUsage();
    const { code, message } = await refusal('html', html);
    expect(code).toBe('DOCUMENT_TOO_COMPLEX');
    expect(message).toContain(bound);
    expect(cpuMsSince(startedAt)).toBeLessThan(BOMB_MS_MAX);
  });

  test.each([
    ['unclosed comments in style sheets', `<p>x</p><style>${'/*'.repeat(500_000)}</style>`],
    ['unclosed rules', `<p>x</p><style>${'a{'.repeat(500_000)}</style>`],
    ['empty rules', `<p>x</p><style>${'a{}'.repeat(500_000)}</style>`],
    ['comments', `<p>x</p>${'<!--'.repeat(300_000)}`],
    ['frames in frames', `<p>x</p>${'<iframe>'.repeat(15_000)}`],
    ['end tags', `<p>x</p>${'</x>'.repeat(300_000)}`],
    ['an endless style attribute', `<p style="${'color:red;'.repeat(100_000)}">x</p>`],
  ])('with %s is accepted in linear time', async (_name, html) => {
    const startedAt = process.cpuUsage();
    await sanitized(html);
    expect(cpuMsSince(startedAt)).toBeLessThan(BOMB_MS_MAX);
  });
});
