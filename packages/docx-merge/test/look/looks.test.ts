import { describe, expect, it } from '@jest/globals';
import { cpuMsSince } from '@scriptorium/testing/cpu-time';
import { testInWhole } from '@scriptorium/testing/extent';
import type { LookOptions, LookSource } from '../../src/look/look.ts';
import { Looks } from '../../src/look/looks.ts';

const W = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const A = 'http://schemas.openxmlformats.org/drawingml/2006/main';

const style = (id: string, name: string, content = '', attributes = '') =>
  `<w:style w:type="paragraph"${attributes} w:styleId="${id}"><w:name w:val="${name}"/>${content}</w:style>`;
const NORMAL = style('Normal', 'Normal', '', ' w:default="1"');
const defaults = (run: string, paragraph = '') =>
  `<w:docDefaults><w:rPrDefault><w:rPr>${run}</w:rPr></w:rPrDefault><w:pPrDefault><w:pPr>${paragraph}</w:pPr></w:pPrDefault></w:docDefaults>`;
const stylesPart = (content: string) => `<w:styles xmlns:w="${W}">${content}</w:styles>`;
const listsPart = (content: string) => `<w:numbering xmlns:w="${W}">${content}</w:numbering>`;
const definition = (id: number, content = '') =>
  `<w:abstractNum w:abstractNumId="${id}"><w:nsid w:val="0000000${id}"/>${content}<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl></w:abstractNum>`;
const list = (id: number, of: number, content = '') =>
  `<w:num w:numId="${id}"><w:abstractNumId w:val="${of}"/>${content}</w:num>`;

function source(styles: string | undefined, more: Partial<LookSource> = {}): LookSource {
  return {
    styles: styles === undefined ? undefined : stylesPart(styles),
    numbering: undefined,
    theme: undefined,
    settings: undefined,
    numberingRelationship: (id) => `new-${id}`,
    ...more,
  };
}

const KEEP: LookOptions = { styles: 'keep', numbering: 'keep' };

/** Two documents; the ids of the second are looked up before the parts are written. */
function two(first: LookSource, second: LookSource, options: LookOptions = KEEP) {
  const looks = new Looks(first, options);
  return { looks, look: looks.add(second) };
}

/** The markup of a style of the merged document. */
const styleIn = (xml: string | undefined, id: string): string =>
  new RegExp(`<w:style [^>]*w:styleId="${id}"[^>]*>.*?</w:style>`, 's').exec(xml ?? '')?.[0] ?? '';

describe('styles of merged documents', () => {
  it('are one style if they have the same name and look, whatever their ids', () => {
    const bold = '<w:basedOn w:val="Normal"/><w:rPr><w:b/></w:rPr>';
    const german = '<w:basedOn w:val="Standard"/><w:rPr><w:b w:val="true"/></w:rPr>';
    const { looks, look } = two(
      source(NORMAL + style('Heading1', 'heading 1', bold)),
      source(style('Standard', 'normal', '', ' w:default="1"') + style('berschrift1', 'Heading 1', german)),
    );
    expect(look.styleId('berschrift1')).toBe('Heading1');
    expect(look.styleId('Standard')).toBe('Normal');
    expect(look.unstyled.paragraph).toBeUndefined();
    expect(looks.styles()).toBeUndefined();
  });

  it('keep two looks under two names, and what is based on them follows', () => {
    const derived = style('Sub', 'Sub', '<w:basedOn w:val="Title"/><w:next w:val="Title"/>');
    const title = (size: number) =>
      style('Title', 'Title', `<w:basedOn w:val="Normal"/><w:rPr><w:sz w:val="${size}"/></w:rPr>`);
    const { looks, look } = two(source(NORMAL + title(40) + derived), source(NORMAL + title(50) + derived));
    const [id, sub] = [look.styleId('Title'), look.styleId('Sub')];
    const xml = looks.styles();
    expect(id).not.toBe('Title');
    expect(styleIn(xml, 'Title')).toContain('w:val="40"');
    expect(styleIn(xml, id)).toContain('w:val="50"');
    expect(styleIn(xml, id)).toContain('<w:basedOn w:val="Normal"/>');
    expect(styleIn(xml, sub)).toContain(`<w:basedOn w:val="${id}"/><w:next w:val="${id}"/>`);
    expect(look.styleNames.get('Title')).toBe('Title (2)');
    expect(styleIn(xml, id)).toContain('<w:name w:val="Title (2)"/>');
    expect(styleIn(xml, id)).toContain('w:customStyle="1"');
  });

  it('are taken from the first document if so asked', () => {
    const { looks, look } = two(
      source(NORMAL + style('T', 'Title', '<w:rPr><w:b/></w:rPr>')),
      source(defaults('<w:sz w:val="30"/>') + NORMAL + style('Titel', 'title', '<w:rPr><w:i/></w:rPr>')),
      { ...KEEP, styles: 'first' },
    );
    expect(look.styleId('Titel')).toBe('T');
    expect(look.unstyled.paragraph).toBeUndefined();
    expect(looks.styles()).toBeUndefined();
  });

  it('are written only if the document uses them', () => {
    const { looks, look } = two(source(NORMAL), source(NORMAL + style('A', 'A') + style('B', 'B')));
    expect(look.styleId('B')).toBe('B');
    expect(looks.styles()).toContain('w:styleId="B"');
    expect(looks.styles()).not.toContain('w:styleId="A"');
  });

  it('share one style among documents after the first that look the same', () => {
    const other = source(NORMAL + style('T', 'T', '<w:rPr><w:b/></w:rPr>'));
    const { looks, look } = two(source(NORMAL + style('T', 'T')), other);
    expect(looks.add(other).styleId('T')).toBe(look.styleId('T'));
    expect(looks.styles()?.match(/<w:b\/>/g)).toHaveLength(1);
  });

  it('come into a first document without any', () => {
    const { looks, look } = two(source(undefined), source(NORMAL + style('T', 'T', '<w:rPr><w:b/></w:rPr>')));
    const id = look.styleId('T');
    expect(styleIn(looks.styles(), id)).toContain('<w:b/>');
    expect(looks.styles()).toMatch(/^<\?xml[^>]*>\s*<w:styles [^>]*>.*<\/w:styles>$/s);
  });

  it('never give an unknown id the look of another document', () => {
    const { looks, look } = two(source(NORMAL + style('Ghost', 'Ghost')), source(NORMAL));
    expect(look.styleId('Ghost', { type: 'character' })).not.toBe('Ghost');
    looks.reserve(['Other'], []);
    expect(looks.add(source(NORMAL + style('Other', 'Other'))).styleId('Other')).not.toBe('Other');
  });

  it('end a loop of bases', () => {
    const loop =
      style('X', 'X', '<w:basedOn w:val="Y"/><w:rPr><w:b/></w:rPr>') +
      style('Y', 'Y', '<w:basedOn w:val="X"/>');
    const { looks, look } = two(source(NORMAL), source(NORMAL + loop));
    look.styleId('X');
    expect(styleIn(looks.styles(), 'Y')).toContain('<w:basedOn w:val="X"/>');
  });
});

describe('document defaults that differ', () => {
  it('go into the base styles of the imported document', () => {
    const { looks, look } = two(
      source(defaults('<w:sz w:val="22"/><w:b/>', '<w:spacing w:after="160" w:line="259"/>') + NORMAL),
      source(defaults('<w:sz w:val="30"/>') + NORMAL),
    );
    const id = look.unstyled.paragraph ?? '';
    expect(look.styleId('Normal')).toBe(id);
    expect(styleIn(looks.styles(), id)).toContain(
      '<w:pPr><w:spacing w:after="0" w:line="240"/></w:pPr><w:rPr><w:b w:val="0"/><w:sz w:val="30"/></w:rPr>',
    );
    expect(styleIn(looks.styles(), id)).not.toContain('w:default');
  });

  it('leave alone what the base style sets itself', () => {
    const own = style('Normal', 'Normal', '<w:rPr><w:sz w:val="24"/></w:rPr>', ' w:default="1"');
    const { looks, look } = two(source(defaults('<w:sz w:val="22"/>') + own), source(own));
    expect(look.unstyled.paragraph).toBeUndefined();
    expect(looks.styles()).toBeUndefined();
  });

  it('are weaker than the style of a table', () => {
    const table =
      '<w:style w:type="table" w:styleId="Grid"><w:name w:val="Table Grid"/><w:pPr><w:spacing w:after="0"/></w:pPr></w:style>';
    const { looks, look } = two(
      source(defaults('', '<w:spacing w:after="160"/>') + NORMAL + table),
      source(defaults('<w:b/>', '<w:spacing w:after="200"/>') + NORMAL + table),
    );
    const inside = look.unstyledInTable('Grid') ?? '';
    const outside = look.unstyled.paragraph ?? '';
    expect(look.styleId('Normal', { type: 'paragraph', table: 'Grid' })).toBe(inside);
    const xml = looks.styles();
    expect(styleIn(xml, outside)).toContain('w:after="200"');
    expect(styleIn(xml, inside)).not.toContain('w:after');
    expect(styleIn(xml, inside)).toContain('<w:b/>');
  });

  it('hold in the cells of a table to which its style gives no other look', () => {
    const table =
      '<w:style w:type="table" w:styleId="T"><w:name w:val="T"/><w:tblStylePr w:type="firstRow"><w:rPr><w:sz w:val="40"/></w:rPr></w:tblStylePr></w:style>';
    const { looks, look } = two(
      source(defaults('<w:sz w:val="20"/>') + NORMAL + table),
      source(defaults('<w:sz w:val="30"/>') + NORMAL + table),
    );
    const id = look.styleId('T', { type: 'table' });
    expect(id).not.toBe('T');
    expect(styleIn(looks.styles(), id)).toContain('<w:rPr><w:sz w:val="30"/></w:rPr><w:tblStylePr');
  });
});

describe('lists of merged documents', () => {
  const lists = listsPart(definition(1) + list(1, 1) + list(2, 1, '<w:lvlOverride w:ilvl="0"/>'));

  it('begin again', () => {
    const { looks, look } = two(source(NORMAL, { numbering: lists }), source(NORMAL, { numbering: lists }));
    expect([look.numId('1'), look.numId('2'), look.numId('0')]).toEqual(['3', '4', '0']);
    const xml = looks.numbering() ?? '';
    expect([...xml.matchAll(/<w:(abstractNum|num) /g)].map(([, name]) => name)).toEqual([
      'abstractNum',
      'abstractNum',
      'num',
      'num',
      'num',
      'num',
    ]);
    const signatures = [...xml.matchAll(/<w:nsid w:val="([^"]*)"/g)].map(([, value]) => value);
    expect(new Set(signatures).size).toBe(2);
    expect(xml).toMatch(/<w:num w:numId="4"><w:abstractNumId w:val="2"\/><w:lvlOverride w:ilvl="0"\/>/);
  });

  it('go on if so asked', () => {
    const options: LookOptions = { ...KEEP, numbering: 'continue' };
    const { looks, look } = two(
      source(NORMAL, { numbering: lists }),
      source(NORMAL, { numbering: lists }),
      options,
    );
    expect([look.numId('1'), look.numId('2')]).toEqual(['1', '2']);
    expect(looks.numbering()).toBeUndefined();
  });

  it('follow styles that have them, and pictures of bullets', () => {
    const numbered = style('H', 'heading 1', '<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr>');
    const numbering = `<w:numbering xmlns:w="${W}" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><w:numPicBullet w:numPicBulletId="0"><w:drawing r:embed="rId1"/></w:numPicBullet><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:pStyle w:val="H"/><w:lvlPicBulletId w:val="0"/></w:lvl></w:abstractNum>${list(1, 0)}</w:numbering>`;
    const document = source(NORMAL + numbered, { numbering });
    const { looks, look } = two(document, document);
    const id = look.styleId('H');
    const xml = looks.numbering() ?? '';
    expect(id).not.toBe('H');
    expect(styleIn(looks.styles(), id)).toContain('<w:numId w:val="2"/>');
    expect(xml).toContain(`<w:pStyle w:val="${id}"/><w:lvlPicBulletId w:val="1"/>`);
    expect(xml).toContain('<w:numPicBullet w:numPicBulletId="1"><w:drawing r:embed="new-rId1"/>');
    expect(xml.indexOf('w:numPicBulletId="1"')).toBeLessThan(xml.indexOf('<w:abstractNum '));
  });

  testInWhole('are as many as there are', () => {
    const count = 20_000;
    const ids = Array.from({ length: count }, (_, at) => at);
    const many = `<w:numbering xmlns:w="${W}">${ids.map((id) => `<w:abstractNum w:abstractNumId="${id}"/>`).join('')}${ids.map((id) => list(id + 1, id)).join('')}</w:numbering>`;
    const { looks, look } = two(source(NORMAL, { numbering: many }), source(NORMAL, { numbering: many }));
    const startedAt = process.cpuUsage();
    const numbers = new Set(ids.map((id) => look.numId(String(id + 1))));
    expect(numbers.size).toBe(count);
    expect(looks.numbering()?.match(/<w:abstractNum /g)).toHaveLength(2 * count);
    expect(cpuMsSince(startedAt)).toBeLessThan(10_000);
  });

  it('give an unknown id to no list', () => {
    const { looks, look } = two(source(NORMAL, { numbering: lists }), source(NORMAL));
    const id = look.numId('1');
    expect(id).not.toBe('1');
    expect(looks.numbering()).toBeUndefined();
  });
});

describe('a theme that differs', () => {
  const theme = (font: string, color: string) =>
    `<a:theme xmlns:a="${A}"><a:themeElements><a:clrScheme name="x"><a:accent1><a:srgbClr val="${color}"/></a:accent1></a:clrScheme><a:fontScheme name="x"><a:minorFont><a:latin typeface="${font}"/><a:ea typeface=""/><a:cs typeface=""/></a:minorFont></a:fontScheme></a:themeElements></a:theme>`;
  const styles =
    defaults('<w:rFonts w:asciiTheme="minorHAnsi"/>') +
    NORMAL +
    style('T', 'T', '<w:rPr><w:color w:val="112233" w:themeColor="accent1"/></w:rPr>');

  it('becomes plain fonts and colors in the styles', () => {
    const { looks, look } = two(
      source(styles, { theme: theme('Calibri', '4472C4') }),
      source(styles, { theme: theme('Georgia', 'AA0000') }),
    );
    const [normal, colored] = [look.unstyled.paragraph ?? '', look.styleId('T')];
    expect(styleIn(looks.styles(), normal)).toContain('<w:rFonts w:ascii="Georgia"/>');
    expect(styleIn(looks.styles(), colored)).toMatch(/<w:color w:val="AA0000" *\/>/);
  });

  it('needs no change if it means the same', () => {
    const document = source(styles, { theme: theme('Calibri', '4472C4') });
    const { looks, look } = two(document, document);
    expect(look.theme).toBeUndefined();
    expect(look.styleId('T')).toBe('T');
    expect(looks.styles()).toBeUndefined();
  });
});
