import { describe, expect, it } from '@jest/globals';
import { p, run, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { write } from './written.ts';

const html = (text: string) => write(templateOf(p(run('{x}'))), { x: { $html: text } });

describe('texts, cells and lists of HTML', () => {
  it('have sizes and backgrounds, of texts and of cells', async () => {
    const { xml } = await html(
      '<span style="font-size:14pt;background:#ff0">a</span><font size=5>b</font><mark>c</mark>' +
        '<table><tr><td style="background-color:#00ff00">d<td bgcolor=red>e</table>',
    );
    const shade = (fill: string) => `<w:shd w:val="clear" w:color="auto" w:fill="${fill}"/>`;
    const size = (halves: number) => `<w:sz w:val="${halves}"/><w:szCs w:val="${halves}"/>`;
    expect(xml()).toContain(`${size(28)}${shade('FFFF00')}</w:rPr><w:t xml:space="preserve">a</w:t>`);
    expect(xml()).toContain(`${size(36)}</w:rPr><w:t xml:space="preserve">b</w:t>`);
    expect(xml()).toContain(`${shade('FFFF00')}</w:rPr><w:t xml:space="preserve">c</w:t>`);
    expect(xml()).toContain(`${shade('00FF00')}</w:tcPr>`);
    expect(xml()).toContain(`${shade('FF0000')}</w:tcPr>`);
  });

  it('have the numbers and bullets that their elements name', async () => {
    const { xml } = await html(
      '<ol type=A><li>a</ol><ol style="list-style-type: lower-roman"><li>b</ol><ul style="list-style:square"><li>c</ul>' +
        '<ul><li>d</ul><ol type=A><li>e</ol>',
    );
    const numbering = xml('word/numbering.xml') ?? '';
    const first = [
      ...numbering.matchAll(/<w:lvl w:ilvl="0">.*?<w:numFmt w:val="(\w+)"\/><w:lvlText w:val="(.*?)"/g),
    ];
    const looks = first.map(([, format, text]) => `${format} ${text}`);
    expect(looks).toEqual(['upperLetter %1.', 'lowerRoman %1.', 'bullet ▪', 'bullet •']);
  });
});

describe('what a browser does not print, or adds', () => {
  it.each([
    [
      'hidden elements',
      '<p style="display:none">no</p><p hidden>no</p><i style="visibility:hidden">no</i>yes',
      'yes',
    ],
    ['classes of its style sheet', '<style>.x{display:none}</style><p class=x>no</p><p>yes</p>', 'yes'],
    ['a preheader', '<div style="max-height:0;overflow:hidden">no</div><p>yes</p>', 'yes'],
    [
      'controls and quotes',
      '<input value=a><select><option>b</select><textarea>c</textarea><q>d</q>',
      'a b c “d”',
    ],
    ['numbers', '<ol reversed><li>a<li>b</ol>', '2. a1. b'],
    ['a footer', '<table><tfoot><tr><td>c</td></tr></tfoot><tr><td>a</td></tr></table>', 'ac'],
  ])('%s', async (_, text, shown) => {
    const { xml } = await html(text);
    expect(
      [...(xml() ?? '').matchAll(/<w:t(?: [^>]*)?>([^<]*)</g)].map(([, part]) => part?.trim()).join(''),
    ).toBe(shown);
  });
});
