import { describe, expect, it, test } from '@jest/globals';
import { openPackage } from '@scriptorium/ooxml/package';
import { escapeXml } from '@scriptorium/ooxml/xml';
import { bare, p, run, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { randomNumbers } from '@scriptorium/testing/random';
import { foundIn, inRuns, issuesOf, readingsOf } from './found.ts';
import { fromBody, generated } from './generated.ts';

const SEEDS = 200;

const TEXTS = [
  'Dear {first name}, {#items}{a.b | upper}{/items}!',
  'Dear {{ name }}, {% if a < 2 and b == “x & y” %}{{r c }}{% endif %}{# d #}!',
  'Dear {{name}}, {{?items}}{{@logo}}{{/items}}!',
  'Dear {d.name:upperCase}, {d.items[i].a}{d.items[i+1].a}!',
  'Dear +++INS name+++, +++FOR x IN items+++ +++$x.a+++ +++END-FOR x+++!',
];

describe('a mark', () => {
  test.each(TEXTS)('means the same if it is split over runs at any position: %s', async (text) => {
    const whole = readingsOf(await foundIn(p(run(text))));
    expect(whole.length).toBeGreaterThan(1);
    for (let end = 1; end < text.length; end++)
      expect(readingsOf(await foundIn(p(inRuns(text, [end]))))).toEqual(whole);
  });

  it('means the same if it is split at random, and its pieces spell it', async () => {
    for (let seed = 0; seed < SEEDS; seed++) {
      const next = randomNumbers(seed);
      const text = TEXTS[next(TEXTS.length)] ?? '';
      const ends = Array.from({ length: next(12) }, () => next(text.length)).sort((a, b) => a - b);
      const { marks } = await foundIn(p(inRuns(text, ends)));
      const whole = await foundIn(p(run(text)));
      expect(marks.map(({ instruction }) => instruction)).toEqual(
        whole.marks.map(({ instruction }) => instruction),
      );
      for (const { place, story, written } of marks) {
        if (place.kind !== 'text') throw new Error('a mark is a field');
        const source = place.pieces.map(({ start, end }) => story.xml.slice(start, end)).join('');
        expect(source).toBe(escapeXml(written));
        for (const { text: node, start, end } of place.pieces) {
          expect(node.openEnd).toBeLessThanOrEqual(start);
          expect(node.closeStart).toBeGreaterThanOrEqual(end);
          expect(end).toBeGreaterThan(start);
        }
      }
    }
  });

  it('may be interrupted by proofing marks, bookmarks and deleted text', async () => {
    const deleted = '<w:del w:id="1" w:author="A"><w:r><w:delText>x</w:delText></w:r></w:del>';
    const body = p(
      `${run('{na')}<w:proofErr w:type="spellStart"/><w:bookmarkStart w:id="2" w:name="b"/>${deleted}${run('me}')}`,
    );
    expect((await foundIn(body)).marks.map(({ written }) => written)).toEqual(['{name}']);
  });

  it('may contain tabs and line breaks, which go with it', async () => {
    const body = p(
      `<w:r><w:t>A {na</w:t><w:br/><w:t>me</w:t><w:tab/><w:t>} b</w:t><w:tab/><w:t>c</w:t></w:r>`,
    );
    const { marks } = await foundIn(body);
    expect(marks).toMatchObject([
      { written: '{name}', place: { breaks: [{ name: 'w:br' }, { name: 'w:tab' }] } },
    ]);
    const { shown } = await fromBody(body, { name: 'Ada' });
    expect(shown()).toEqual(['A Ada b\tc']);
  });

  it('does not reach over paragraphs, page breaks and pictures', async () => {
    for (const between of ['</w:p><w:p>', '<w:r><w:br w:type="page"/></w:r>', '<w:r><w:drawing/></w:r>'])
      expect(issuesOf(await foundIn(p(run('{x}')) + p(run('{na') + between + run('me}'))))).toEqual([
        'Unclosed tag: {na',
        'Unopened tag: me}',
      ]);
  });

  it('is found by its decoded text', async () => {
    const { marks } = await foundIn(p(bare('a &amp; b {x}&#123;y} {a | default(&quot;&lt;&quot;)}')));
    expect(marks.map(({ written }) => written)).toEqual(['{x}', '{y}', '{a | default("<")}']);
    const [, , { place, story }] = marks as [unknown, unknown, (typeof marks)[0]];
    const pieces = place.kind === 'text' ? place.pieces : [];
    expect(pieces.map(({ start, end }) => story.xml.slice(start, end))).toEqual([
      '{a | default(&quot;&lt;&quot;)}',
    ]);
  });
});

describe('white space control of Jinja', () => {
  it('removes the white space beside its marks', async () => {
    const { shown } = await fromBody(p(run('A  {%- if a -%}  b  {%- endif -%}  {{ c }} d {{- a -}} e.')), {
      a: 1,
      c: 2,
    });
    expect(shown()).toEqual(['Ab2 d1e.']);
  });

  test.each<[text: string, shown: string[]]>([
    ['{%- if a %} b{% endif %}', ['x  b', 'y']],
    ['{% if a %}b {% endif -%}', ['x ', 'b y']],
    ['{{- a -}}', ['x ', '1', 'y']],
    ['{%- if a -%}', ['x y']],
    ['a{%- if a -%}\u00a0b {%- endif -%} ', ['x ', 'a\u00a0by']],
  ])('joins paragraphs as docxtpl does: %s', async (text, shown) => {
    const end = text.includes('endif') || text.includes('{{') ? '' : '{% endif %}';
    const filled = await fromBody(p(run('x ')) + p(run(text)) + p(run(`y${end}`)), { a: 1 });
    expect(filled.shown()).toEqual(shown);
  });

  it('is read in marks of rows and paragraphs, which take their paragraph with them', async () => {
    const found = await foundIn(p(run('{%p if a -%}')) + p(run('b')) + p(run('{%p endif %}')));
    expect(issuesOf(found)).toEqual([]);
  });
});

it('in a document with a part of HTML does not fill that part', async () => {
  const html = '<!DOCTYPE html><p>{a}<br></p>';
  const source = templateOf(`${p(run('{a}'))}<w:altChunk r:id="rIdA"/>`, {
    links: [{ id: 'rIdA', kind: 'aFChunk', target: 'part.html' }],
    parts: [{ name: 'word/part.html', type: 'text/html', data: html }],
  });
  const { bytes, shown } = await generated(source, { a: 'A' });
  expect(shown()).toEqual(['A']);
  expect((await openPackage(bytes)).parts.get('word/part.html')?.bytes.toString()).toContain('{a}<br');
});
