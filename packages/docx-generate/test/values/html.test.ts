import { describe, expect, it } from '@jest/globals';
import { escapeXml } from '@scriptorium/ooxml/xml';
import { cpuMsSince } from '@scriptorium/testing/cpu-time';
import { testInWhole } from '@scriptorium/testing/extent';
import { IMAGES } from '@scriptorium/testing/fixtures/images';
import { p, run, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { shownTexts } from '@scriptorium/testing/office';
import { randomNumbers } from '@scriptorium/testing/random';
import { generated } from '../generate/generated.ts';
import { write } from './written.ts';

const SOURCE = templateOf(p(run('{x}', '<w:b/><w:color w:val="C00000"/>'), '<w:spacing w:after="40"/>'));
const html = (text: string) => write(SOURCE, { x: { $html: text } });
const INLINE = ['b', 'strong', 'i', 'em', 'u', 's', 'sub', 'sup', 'code', 'span', 'font', 'unknown-element'];
const STYLES = ['', ' style="color:#abc"', ' style="text-align:center"', ' color="red"', ' align=right'];
const ATTRIBUTES = [...STYLES, ' href="https://example.com/"', ' href="javascript:x"', ' class=x'];
type Pick = <Item>(from: readonly [Item, ...Item[]] | readonly Item[]) => Item;

/** A random tree of the allow list. `texts` gets its words. */
class RandomHtml {
  readonly texts: string[] = [];
  readonly #below: (bound: number) => number;

  constructor(seed: number) {
    this.#below = randomNumbers(seed);
  }

  readonly #pick: Pick = (from) => from[this.#below(from.length)] as never;

  blocks(depth = 0): string {
    return Array.from({ length: 1 + this.#below(3) }, () => this.#block(depth)).join(
      this.#pick(['', '\n  ', ' ']),
    );
  }

  #block(depth: number): string {
    const kind = depth > 3 ? 0 : this.#below(8);
    const style = this.#pick(ATTRIBUTES);
    if (kind === 1) return this.#list(depth, style);
    if (kind === 2) return this.#table(depth, style);
    if (kind === 3) return `<blockquote${style}>${this.blocks(depth + 1)}</blockquote>`;
    if (kind === 4) return `<h${1 + this.#below(6)}${style}>${this.#inline(0)}`;
    if (kind === 5) return `<div${style}>${this.blocks(depth + 1)}</div>`;
    if (kind === 6) return `<pre>${this.#word()}\n  ${this.#word()}</pre><hr>`;
    return `<p${style}>${this.#inline(0)}${this.#pick(['</p>', ''])}`;
  }

  #list(depth: number, style: string): string {
    const name = this.#pick(['ul', 'ol', 'ol start=4']);
    const items = Array.from({ length: 1 + this.#below(3) }, () => {
      const text = this.#inline(0);
      const inner = this.#below(3) === 0 ? this.blocks(depth + 1) : '';
      return `<li>${text}${inner}${this.#pick(['</li>', ''])}`;
    });
    return `<${name}${style}>${items.join('')}</${name.slice(0, 2)}>`;
  }

  #table(depth: number, style: string): string {
    const rows = Array.from({ length: 1 + this.#below(3) }, () => {
      const cells = Array.from({ length: 1 + this.#below(4) }, () => {
        const name = this.#pick(['td', 'th']);
        const spans = ` colspan=${1 + this.#below(3)} rowspan="${1 + this.#below(4)}"`;
        const content = this.#below(4) === 0 ? this.blocks(depth + 2) : this.#inline(0);
        return `<${name}${this.#pick([spans, style])}>${content}</${name}>`;
      });
      return `<tr>${cells.join('')}</tr>`;
    });
    return `<table>${rows.join('')}</table>`;
  }

  #inline(depth: number): string {
    const pieces = Array.from({ length: 1 + this.#below(4) }, () => {
      const kind = depth > 3 ? 0 : this.#below(5);
      if (kind === 1) return '<br/>';
      if (kind === 2) return `<a${this.#pick(ATTRIBUTES)}>${this.#inline(4)}</a>`;
      if (kind > 2) {
        const name = this.#pick(INLINE);
        return `<${name}${this.#pick(ATTRIBUTES)}>${this.#inline(depth + 1)}</${name}>`;
      }
      return this.#word();
    });
    return pieces.join(this.#pick(['', ' ', '<script>never</script>', '<!-- never -->']));
  }

  #word(): string {
    const word = `${this.#pick(['alpha', 'ä & <b>', '“q”', '2 < 3', '\u{1f600}', "a'b"])}${this.texts.length}`;
    this.texts.push(word);
    return escapeXml(word);
  }
}

/** The visible text of a part, without white space. */
function textOf(xml = ''): string {
  const texts = [...xml.matchAll(/<w:t(?: [^>]*)?>([^<]*)</g)].map(([, text = '']) => text).join('');
  const read = texts.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"');
  return read.replaceAll('&amp;', '&').replace(/\s/g, '');
}

describe('HTML of the allow list', () => {
  testInWhole('keeps its text in its order, in a valid document', async () => {
    for (let seed = 1; seed <= 150; seed++) {
      const random = new RandomHtml(seed);
      const source = random.blocks();
      const { xml } = await html(source);
      expect([seed, textOf(xml())]).toEqual([seed, random.texts.join('').replace(/\s/g, '')]);
    }
  });

  it('keeps its text where paragraphs cannot stand', async () => {
    for (let seed = 1; seed <= 40; seed++) {
      const random = new RandomHtml(seed);
      const { xml } = await write(SOURCE, { x: { $html: random.blocks() } }, { isInLink: true });
      const shown = textOf(xml());
      for (const word of random.texts) expect(shown).toContain(word.replace(/\s/g, ''));
      expect(xml()).not.toMatch(/<w:hyperlink|<w:tbl>/);
    }
  });

  testInWhole('is visible in LibreOffice', async () => {
    const texts: string[][] = [];
    const documents: Buffer[] = [];
    for (const seed of [3, 14, 15]) {
      const random = new RandomHtml(seed);
      documents.push((await html(random.blocks())).bytes);
      texts.push(random.texts);
    }
    const shown = await shownTexts(documents);
    for (const [index, words] of texts.entries())
      for (const word of words) expect(shown[index]?.replace(/\s/g, '')).toContain(word.replace(/\s/g, ''));
  });
});

describe('the looks of HTML', () => {
  it('are added to those of the mark, in the order of the schema', async () => {
    const { xml } = await html('a<i>b</i><span style="color: rgb(0, 128, 255)">c</span><sub>d</sub>');
    const style = (more: string) => `<w:rPr>${more}</w:rPr>`;
    expect(xml()).toContain(style('<w:b/><w:i/><w:color w:val="C00000"/>'));
    expect(xml()).toContain(style('<w:b/><w:color w:val="0080FF"/>'));
    expect(xml()).toContain(style('<w:b/><w:color w:val="C00000"/><w:vertAlign w:val="subscript"/>'));
  });

  it('of one paragraph stay in the line of the mark', async () => {
    const source = templateOf(p(run('Dear ') + run('{x}') + run('!')));
    const { xml } = await write(source, { x: { $html: ' <p>Ada <b>L.</b></p> ' } });
    expect(xml()?.match(/<w:p>/g)).toHaveLength(1);
    expect(textOf(xml())).toBe('DearAdaL.!');
  });

  it('of a paragraph keep the properties of the paragraph of the mark', async () => {
    const { xml } = await html('<p>a</p><p align=center>b</p>');
    expect(xml()).toContain('<w:pPr><w:spacing w:after="40"/></w:pPr>');
    expect(xml()).toContain('<w:pPr><w:spacing w:after="40"/><w:jc w:val="center"/></w:pPr>');
  });

  it.each(['h1', 'h3', 'h6'])(
    'of %s are an outline level if the document has no style for it',
    async (name) => {
      const { xml } = await html(`<${name}>Title</${name}><p>text</p>`);
      expect(xml()).toContain(`<w:outlineLvl w:val="${Number(name[1]) - 1}"/>`);
    },
  );
});

describe('lists', () => {
  const numIds = (xml = '') =>
    [...xml.matchAll(/<w:ilvl w:val="(\d)"\/><w:numId w:val="(\d+)"\/>/g)].map(([, level, id]) => [
      level,
      id,
    ]);

  it('count each numbered list anew, and share their bullets', async () => {
    const { xml } = await html(
      '<ol><li>a<li>b</ol><ul><li>c</ul><ol start=7><li>d</ol><ul><li>e<ul><li>f</ul></ul>',
    );
    const [a, b, c, d, e, f] = numIds(xml());
    expect(a).toEqual(b);
    expect(c).toEqual(e);
    expect(f).toEqual(['1', c?.[1]]);
    expect(new Set([a?.[1], c?.[1], d?.[1]]).size).toBe(3);
    expect(xml('word/numbering.xml')).toContain(`<w:startOverride w:val="7"/>`);
  });

  testInWhole('are numbered in LibreOffice as in a browser', async () => {
    const { bytes } = await html(
      '<ol><li>a<ol><li>b</ol><li>c<ol><li>d</ol></ol><ol start=5><li>e<li>f</ol>',
    );
    const lines = (await shownTexts([bytes]))[0]?.trim().split('\n');
    expect(lines?.map((line) => line.trim().replace(/\s+/, ' '))).toEqual([
      '1. a',
      'a. b',
      '2. c',
      'a. d',
      '5. e',
      '6. f',
    ]);
  });
});

describe('a table', () => {
  it('has the columns that its spans need, and merged cells', async () => {
    const { xml } = await html('<table><tr><td rowspan=2>a<td colspan=2>b<tr><td>c<td>d</table>');
    expect(xml()?.match(/<w:gridCol /g)).toHaveLength(3);
    expect(xml()).toContain('<w:gridSpan w:val="2"/>');
    expect(xml()).toMatch(/<w:vMerge w:val="restart"\/>.*<w:vMerge\/>/);
  });

  it('of more than 63 columns is refused', async () => {
    await expect(html(`<table><tr>${'<td>x'.repeat(64)}</table>`)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'data.x.$html', issue: 'has a table of more than 63 columns' }],
    });
  });
});

describe('a picture', () => {
  it('of a data URI is displayed, and any other leaves its alternative text', async () => {
    const uri = `data:image/png;base64,${IMAGES.PNG(40, 20, [255, 0, 0]).toString('base64')}`;
    const { xml, passes } = await html(
      `<p>a<img src="${uri}" width=20 alt="red"></p><img src="https://example.com/x.png" alt="far"><img src="file:///etc/passwd" alt="near">`,
    );
    expect(passes).toBe(2);
    expect(xml()).toContain('<wp:extent cx="190500" cy="95250"/>');
    expect(xml()).toContain('descr="red"');
    expect(textOf(xml())).toBe('afarnear');
  });

  it('that cannot be read is refused with the path of the value', async () => {
    await expect(html('<img src="data:image/png;base64,AAAA">')).rejects.toMatchObject({
      code: 'IMAGE_INVALID',
      details: [{ field: 'data.x.$html' }],
    });
  });
});

describe('hostile HTML', () => {
  const MANY = 100_000;
  it.each([
    ['a million open tags', '<b>'.repeat(250_000)],
    ['deep lists', `${'<ul><li>'.repeat(200)}x`],
    ['deep divisions', '<div>'.repeat(MANY)],
    ['deep tables', '<table><tr><td>'.repeat(60)],
    ['tags that close nothing', `${'<i>'.repeat(200)}${'</b>'.repeat(MANY)}`],
    ['wide spans', '<table><tr><td colspan=1000 rowspan=1000>x</table>'],
    ['many cells', `<table>${'<tr><td rowspan=9>'.repeat(9_000)}</table>`],
    ['many attributes', `<p ${Array.from({ length: MANY }, (_, n) => `a${n}`).join(' ')}>x`],
    ['a long style', `<p style="${';'.repeat(900_000)}">x`],
    ['a long address', `<a href="https://${'x'.repeat(900_000)}">x</a>`],
    ['many brackets', '<'.repeat(1_000_000)],
    ['many entities', '&amp'.repeat(250_000)],
    ['characters that XML forbids', '&#1;&#xb;&#xFFFE;&#xD800;&#0;<a href="https://e.com/&#1;">x</a>'],
    ['open comments', '<!--'.repeat(250_000)],
    ['much white space', `<pre>${' '.repeat(1_000_000)}x</pre>`],
    ['breaks', '<br>'.repeat(19_000)],
    ['prototype names', '<font color="constructor">a</font><p align="__proto__" style="__proto__:x">b</p>'],
  ])('of %s ends fast, with a text or a typed error', async (_, text) => {
    const start = process.cpuUsage();
    const result = await html(text).catch((error: unknown) => error);
    if (result instanceof Error) expect(result).toMatchObject({ details: [{ field: 'data.x.$html' }] });
    expect(cpuMsSince(start)).toBeLessThan(20_000);
  });
});

describe('the report names what a text loses', () => {
  it.each([
    ['a link that is not safe', '<a href="javascript:x">a</a>', { linksRemoved: true, contentRemoved: [] }],
    [
      'a picture to fetch',
      '<img src="http://x.example/"><svg></svg>',
      { linksRemoved: false, contentRemoved: ['external-content'] },
    ],
    ['nothing', '<a href="https://x.example/">a</a><img>', { linksRemoved: false, contentRemoved: [] }],
  ])('%s', async (_, text, removed) => {
    expect((await generated(SOURCE, { x: { $html: text } })).report).toMatchObject(removed);
  });
});

describe('Markdown', () => {
  it('becomes headings, lists, tables and looks', async () => {
    const markdown =
      '# T\n\nsome **bold** [l](https://example.com)\n\n1. a\n2. b\n\n| x |\n|---|\n| ~~1~~ |\n\n<b>raw</b> [bad](javascript:x)';
    const { xml } = await write(SOURCE, { x: { $markdown: markdown } });
    expect(textOf(xml())).toBe('Tsomeboldlabx1<b>raw</b>bad');
    expect(xml()?.match(/<w:hyperlink /g)).toHaveLength(1);
    expect(xml()).toContain('<w:strike/>');
    expect(xml()?.match(/<w:numPr>/g)).toHaveLength(2);
  });

  it.each([
    ['emphasis', '*a **b '.repeat(40_000)],
    ['brackets', '['.repeat(200_000)],
    ['links', '[a](<b'.repeat(50_000)],
    ['quotes', '>'.repeat(200_000)],
    ['back quotes', Array.from({ length: 1_200 }, (_, n) => '`'.repeat(n)).join(' ')],
  ])('of hostile %s ends', async (_, text) => {
    const start = process.cpuUsage();
    const result = await write(SOURCE, { x: { $markdown: text } }).catch((error: unknown) => error);
    if (result instanceof Error) expect(result).toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(cpuMsSince(start)).toBeLessThan(10_000);
  });
});
