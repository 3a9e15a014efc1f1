import { describe, expect, test } from '@jest/globals';
import { parseHostLine, parseMissingFonts } from '../../../src/engines/kit/host-lines.ts';

describe('a line of the engine host', () => {
  test('reports the outcome of a job', () => {
    const fonts = '{%22fontsmissing%22:[ %22Fa%C3%A7ade%22, %22100%25%22 ] }';
    const report = parseHostLine(`done 7 ok 12 3.4 0.0 5.6 ${fonts}`);
    expect(report).toEqual({
      verb: 'done',
      id: 7,
      outcome: 'ok',
      pages: 12,
      loadMs: 3.4,
      updateMs: 0,
      exportMs: 5.6,
      text: '{"fontsmissing":[ "Façade", "100%" ] }',
    });
    expect(parseMissingFonts((report as { text: string }).text)).toEqual([
      { asked: '100%' },
      { asked: 'Façade' },
    ]);
  });

  test('may report no fonts, or be empty', () => {
    expect(parseHostLine('done 7 ok 1 0.1 0.0 0.1 ')).toMatchObject({ text: '' });
    expect(parseMissingFonts('')).toEqual([]);
    expect(parseMissingFonts('{ "fontsmissing": [ "Whole", "Cut o')).toEqual([{ asked: 'Whole' }]);
  });

  test('names the font that was used, once for the names that follow', () => {
    const text = '{ "fontsmissing": [ "A\tLiberation Sans", "B\t", "C\tNoto Serif", "D\tCut o';
    expect(parseMissingFonts(text)).toEqual([
      { asked: 'A', used: 'Liberation Sans' },
      { asked: 'B', used: 'Liberation Sans' },
      { asked: 'C', used: 'Noto Serif' },
    ]);
  });

  test('leaves out the font of the user interface', () => {
    const text =
      '{ "fontsmissing": [ "Segoe UI;Tahoma;Interface User;Geneva;Sans Serif", "Segoe UI;Arial" ] }';
    expect(parseMissingFonts(text)).toEqual([{ asked: 'Segoe UI;Arial' }]);
  });

  test.each([
    'done 7 fine 1 0.1 0.0 0.1 ',
    'done 7 ok -1 0.1 0.0 0.1 ',
    'done 7 ok 99999999 0.1 0.0 0.1 ',
    'done 7 ok 1 0.1 NaN 0.1 ',
    'done 7 ok 1 0.1 0.0 0.1 a\rb',
    'done 7 ok',
  ])('is a garbled report of its job if it is “%s”', (line) => {
    expect(parseHostLine(line)).toMatchObject({ verb: 'done', id: 7, outcome: 'garbled', pages: 0 });
  });

  test.each(['gone 7 somewhere 1 used', 'hello', ''])('is rejected if it is “%s”', (line) => {
    expect(parseHostLine(line)).toBeUndefined();
  });
});
