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
