import { describe, expect, test } from '@jest/globals';
import { documentOf, field, paragraph } from '@scriptorium/testing/fixtures/hostile/document';
import { pngImage } from '@scriptorium/testing/fixtures/hostile/image-files';
import { odtWith } from '@scriptorium/testing/fixtures/odt';
import { vettedLink } from '../src/results/addresses.ts';
import { vetDocument } from '../src/results/vet-document.ts';
import { partsOf } from './sources/sanitizer-under-test.ts';

const FOLDER = 'file:///dev/shm/scriptorium-engine-1-2-AbCdEf/zygote-1/job-81';
const PATH = FOLDER.slice('file://'.length);

describe('the link of a result', () => {
  const folder = 'file:///dev/shm/engine-1/zygote-1/job-81';
  test.each([
    [`${folder}/annex.txt`, 'annex.txt'],
    [`${folder}/a/b%20c.txt?x=1#y`, 'a/b%20c.txt?x=1#y'],
    ['file:///dev/shm/engine-1/zygote-1/annex.txt', undefined],
    [`${folder}/../annex.txt`, undefined],
    [`${folder}0/annex.txt`, undefined],
    [folder, './'],
    [`${folder}/`, './'],
    ['file:///dev/shm/engine-1/zygote-1', undefined],
    [`${folder}/%2Fetc/hostname`, undefined],
    ['https://example.org/', 'https://example.org/'],
    ['mailto:a@example.org', 'mailto:a@example.org'],
    [`${folder}/javascript:alert(1)`, undefined],
    ['file:///etc/hostname', undefined],
    ['javascript:alert(1)', undefined],
    ['smb://files.example/x', undefined],
    ['ms-msdt:/id', undefined],
    ['macro:///x', undefined],
    ['vnd.sun.star.script:x', undefined],
    ['\\\\server\\x', undefined],
  ])('to %s becomes %s', (address, written) => {
    expect(vettedLink(address, folder)).toBe(written);
  });

  test('to a folder that is not known is removed', () => {
    expect(vettedLink(`${folder}/annex.txt`, undefined)).toBeUndefined();
  });
});

/** What is removed from a result, and what is left of it. */
async function vetted(format: 'docx' | 'odt' | 'html' | 'txt' | 'png', bytes: Buffer) {
  const result = await vetDocument(format, bytes, FOLDER);
  const isPackage = format === 'docx' || format === 'odt';
  const text = isPackage ? Object.values(await partsOf(result.bytes)).join('\n') : result.bytes.toString();
  return { ...result, whats: result.removed.map(({ what }) => what), text };
}

const page = (body: string) =>
  `<!DOCTYPE html><html><head><title>T</title></head><body><p>Before ${body} after</p></body></html>`;

describe('an HTML page loses what acts', () => {
  test.each([
    ['<script>alert(1)</script>', 'active content'],
    ['<ScRiPt src=//evil.example></sCrIpT>', 'active content'],
    ['<meta http-equiv="Refresh" content="0;url=x">', 'active content'],
    ['<iframe srcdoc="x"></iframe>', 'active content'],
    ['<b onclick="x()">bold</b>', 'active content'],
    ['<svg><a xlink:href="javascript:x()">y</a></svg>', 'active content'],
    ['<base href="http://evil.example/">', 'active content'],
    ['<link rel="stylesheet" href="http://evil.example/">', 'active content'],
    ['<form action="http://evil.example/"></form>', 'form action'],
    ['<button formaction="javascript:x()">y</button>', 'active content'],
    ['<a href="javascript:x()">y</a>', 'unsafe link'],
    ['<a href=" java&#10;script:x()">y</a>', 'unsafe link'],
    ['<a href="file:///etc/passwd">y</a>', 'unsafe link'],
    ['<img src="http://evil.example/x.png">', 'external link'],
    ['<img src="data:image/svg+xml;base64,PHN2Zz4=">', 'external link'],
    ['<p style="background: url(http://evil.example/)">y</p>', 'active content'],
    ['<table background="http://evil.example/"></table>', 'external link'],
    ['<style>@import "http://evil.example/"</style>', 'style'],
    ['İ<style>@import "http://evil.example/"</style>', 'style'],
    ['<style>/*</style><style>@import "http://evil.example/"</style>', 'style'],
    ['<style>x{content:"/*"} y{background:url(//evil.example)} z{content:"*/"}</style>', 'style'],
    ['<style>li{list-style:";" url(http://evil.example)}</style>', 'style'],
    ['<style title=">/*">@import "http://evil.example/";</style>', 'style'],
    ['<style a=b">@import "http://evil.example/";</style>', 'style'],
    ['<style>p{color:red}</stylex>y{background:url(//evil.example)}</style>', 'style'],
    [`<style>${'a{color:red}\n'.repeat(20_001)}y{background:url(//evil.example)}</style>`, 'style'],
    ['<p style="background: u\\72l(//evil.example)">y</p>', 'active content'],
    [`<p style="background: image-set('//evil.example' 1x)">y</p>`, 'active content'],
    ['<![CDATA[><script>alert(1)</script>]]>', 'active content'],
    ['<img alt="" srcset="# 1x, //evil.example 2x">', 'external link'],
  ])('%.100s', async (markup, what) => {
    const { whats, text } = await vetted('html', Buffer.from(page(markup)));
    expect(whats).toContain(what);
    expect(text).toMatch(/Before .* after/s);
    expect(text).not.toMatch(/evil\.example|script|refresh|onclick|etc.passwd|svg|action/i);
  });

  test('also in a style sheet without an end', async () => {
    const { whats, text } = await vetted(
      'html',
      Buffer.from('<p>x</p><style>@import "http://evil.example/"'),
    );
    expect(whats).toContain('style');
    expect(text).not.toContain('evil');
  });

  test('but keeps every byte if nothing does', async () => {
    const bytes = Buffer.from(
      page(
        '<a href="annex.txt">x</a> <img src="data:image/png;base64,AAAA"> <font color="#ff0000">İ</font><style type="text/css">p { color: rgb(1, 2, 3) }</style>',
      ),
    );
    expect(await vetDocument('html', bytes, FOLDER)).toEqual({ bytes, removed: [] });
  });

  test('and a link to the folder of the document is written as it was', async () => {
    const { whats, text } = await vetted('html', Buffer.from(page(`<a href="${FOLDER}/annex.txt">x</a>`)));
    expect(whats).toEqual([]);
    expect(text).toContain('<a href="annex.txt">x</a>');
  });
});

describe('an ODT loses what acts', () => {
  test.each([
    ['<text:p><text:a xlink:href="javascript:x">evil</text:a></text:p>', 'unsafe link'],
    ['<text:p><text:script script:language="x">evil</text:script></text:p>', 'macro'],
    ['<text:p><text:execute-macro text:name="evil">x</text:execute-macro></text:p>', 'macro'],
    [
      '<text:p><draw:frame><draw:image xlink:href="http://evil.example/x"/></draw:frame></text:p>',
      'external link',
    ],
    [
      '<text:p><draw:frame><draw:image xlink:href="./../x/evil.example"/></draw:frame></text:p>',
      'external link',
    ],
    ['<text:p><draw:frame><draw:object-ole xlink:href="./evil"/></draw:frame></text:p>', 'OLE object'],
    [
      '<text:section><text:section-source xlink:href="http://evil.example/x"/></text:section>',
      'external link',
    ],
    [
      '<text:p><office:event-listeners><script:event-listener xlink:href="evil"/></office:event-listeners></text:p>',
      'macro',
    ],
    ['<office:forms><form:form xlink:href="http://evil.example/"/></office:forms>', 'form action'],
  ])('%s', async (text, what) => {
    const result = await vetted('odt', odtWith({ text: `<text:p>Before</text:p>${text}` }));
    expect(result.whats).toEqual([what]);
    expect(result.text).toContain('Before');
    expect(result.text).not.toMatch(/javascript:|evil\.example|"evil"|\.\/evil/);
  });

  test('but keeps every byte if nothing does', async () => {
    const bytes = odtWith({ text: '<text:p><text:a xlink:href="../annex.txt">x</text:a></text:p>' });
    expect(await vetDocument('odt', bytes, FOLDER)).toEqual({ bytes, removed: [] });
  });
});

describe('a DOCX loses what acts', () => {
  const outside = (kind: string, target: string) => ({ id: 'rId1', kind, target, isExternal: true });
  test.each([
    [{ body: field('DDEAUTO evil "x"') }, 'field'],
    [{ body: field('HYPERLINK "file:///evil"') }, 'unsafe link'],
    [{ links: [outside('attachedTemplate', 'http://evil.example/')] }, 'remote template'],
    [{ links: [outside('hyperlink', 'javascript:evil')] }, 'unsafe link'],
    [{ links: [outside('image', 'http://evil.example/')] }, 'external relationship'],
  ] as const)('%j', async (content, what) => {
    const body = paragraph('Before') + ('body' in content ? content.body : '');
    const result = await vetted('docx', documentOf({ ...content, body }));
    expect(result.whats).toEqual([what]);
    expect(result.text).toContain('Before');
    expect(result.text).not.toContain('evil');
  });

  test('but keeps every byte if nothing does', async () => {
    const bytes = documentOf({
      body: field('PAGE'),
      links: [{ id: 'rId1', kind: 'hyperlink', target: 'annex.txt', isExternal: true }],
    });
    expect(await vetDocument('docx', bytes, FOLDER)).toEqual({ bytes, removed: [] });
  });
});

describe('the path of an engine is removed from', () => {
  const text = `See ${PATH}/input.docx, ${FOLDER}/annex.txt and ${PATH.replace('/job-81', '')}/x.`;
  const left = 'See input.docx, annex.txt and x.';
  test.each([
    ['txt', Buffer.from(text)],
    ['html', Buffer.from(page(text))],
    ['odt', odtWith({ text: `<text:p>${text}</text:p>` })],
    ['docx', documentOf({ body: paragraph(text) })],
  ] as const)('%s', async (format, bytes) => {
    const result = await vetted(format, bytes);
    expect(result.whats).toEqual(['path of the service']);
    expect(result.text).toContain(left);
    expect(result.text).not.toMatch(/dev\/shm|zygote|job-81/);
  });
});

test('a PNG loses its texts', async () => {
  const plain = pngImage(2, 2);
  const chunk = Buffer.from('\0\0\0\x03tEXta\0b\0\0\0\0', 'latin1');
  const result = await vetted('png', Buffer.concat([plain.subarray(0, 33), chunk, plain.subarray(33)]));
  expect(result.whats).toEqual(['metadata']);
  expect(result.bytes).toEqual(plain);
});
