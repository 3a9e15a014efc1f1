import { describe, expect, test } from '@jest/globals';
import { CONVERT_OPTIONS } from '@scriptorium/client/options';
import { optionsFor, readControl } from '../src/tabs/convert-options.ts';

const named = (name: string) => {
  const option = CONVERT_OPTIONS.find((one) => one.name === name);
  if (option === undefined) throw new Error(`there is no option ${name}`);
  return option;
};
const namesFor = (from: string, to: string) => optionsFor(from, to).map(({ name }) => name);

describe('the form of a conversion', () => {
  test('has each option of the contract for some formats, with a label and the names of its values', () => {
    const { choices: sources = [] } = named('from');
    const { choices: targets = [] } = named('to');
    const shown = new Set(sources.flatMap((from) => targets.flatMap((to) => namesFor(from, to))));
    for (const {
      name,
      title,
      type,
      choices,
      choiceNames = {},
      absent,
      default: byDefault,
    } of CONVERT_OPTIONS) {
      if (name === 'from' || name === 'to') continue;
      expect([...shown]).toContain(name);
      expect({ name, hasTitle: title !== undefined }).toEqual({ name, hasTitle: true });
      expect({ name, says: byDefault ?? absent }).toEqual({ name, says: expect.anything() });
      if (type === 'choice') expect(Object.keys(choiceNames)).toEqual(choices);
    }
  });

  test('has only what suits the formats', () => {
    expect(namesFor('csv', 'pdf')).toEqual(expect.arrayContaining(['delimiter', 'paper', 'imageQuality']));
    expect(namesFor('csv', 'pdf')).not.toContain('revisions');
    expect(namesFor('docx', 'png')).toEqual(['pages', 'dpi', 'revisions', 'updateFields', 'strictFonts']);
  });

  test('asks for nothing with a default', () => {
    expect(readControl(named('updateFields'), 'none')).toBeUndefined();
    expect(readControl(named('updateFields'), 'toc')).toBe('toc');
    expect(readControl(named('tagged'), true)).toBeUndefined();
    expect(readControl(named('tagged'), false)).toBe(false);
    expect(readControl(named('dpi'), '96')).toBeUndefined();
    expect(readControl(named('dpi'), '300')).toBe(300);
    expect(readControl(named('pages'), '')).toBeUndefined();
  });
});
