import { describe, expect, test } from '@jest/globals';
import { p, run, sdt, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { fill, inspected, text } from './filling.ts';

describe('inspecting a template', () => {
  test('returns the number of a control whose name selects another control', async () => {
    const source = templateOf(
      sdt({ id: 1, tag: 'x' }, p(run('one'))) + sdt({ id: 2, alias: 'x' }, p(run('two'))),
    );
    const { fields } = await inspected(source);
    expect(fields.map(({ id, names }) => [id, names])).toEqual([
      ['1', ['x']],
      ['2', []],
    ]);
  });

  test('returns an id of its own for each field, also if an editor gave all of them one name', async () => {
    const control = (id: number, more: object) => p(sdt({ id, ...more }, run('old')));
    const source = templateOf(
      [
        control(1, { tag: 'inline_text_sdt', alias: 'Structured content' }),
        control(2, { tag: 'inline_text_sdt', alias: 'Due date' }),
        control(3, { tag: { group: 'g' }, alias: 'Structured content' }),
        control(4, { tag: 'block_table_sdt' }),
        control(5, { tag: 'customer', alias: 'Customer' }),
        control(6, { tag: 'customer', alias: 'Customer in the footer' }),
      ].join(''),
    );
    const { fields } = await inspected(source);
    expect(fields.map(({ id }) => id)).toEqual([
      '1',
      'Due date',
      '3',
      '4',
      'Customer',
      'Customer in the footer',
    ]);
    for (const { id, count } of fields) {
      const { report } = await fill(source, [text({ id }, 'Ada')]);
      expect([id, report.filled, count]).toEqual([id, 1, 1]);
    }
  });

  test('counts the places of a name without a number, and each of them once', async () => {
    const box = `<w:txbxContent>${p(sdt({ id: 9, tag: 'boxed' }, run('x')))}</w:txbxContent>`;
    const both =
      '<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing>' +
      `${box}</w:drawing></mc:Choice><mc:Fallback><w:pict><v:shape>${box}</v:shape></w:pict></mc:Fallback></mc:AlternateContent></w:r>`;
    const same = p(sdt({ tag: 'same' }, run('x')));
    const source = templateOf(same + same + p(both) + p(run('{mark} and {{mark}}')));
    const { fields } = await inspected(source);
    expect(fields.map(({ id, count }) => [id, count])).toEqual([
      ['same', 2],
      ['same', 2],
      ['boxed', 1],
      ['mark', 2],
    ]);
  });

  test('names the container of a field, which is a group', async () => {
    const inner = p(sdt({ id: 2, tag: 'inner' }, run('x'))) + p(run('{mark}'));
    const item = sdt({ id: 4, properties: '<w:group/>' }, p(run('item')));
    const source = templateOf(
      sdt({ id: 1, tag: 'outer' }, inner) + p(sdt({ id: 3, tag: 'alone' }, run('y'))) + item,
    );
    const { fields } = await inspected(source);
    expect(fields.map(({ id, within, options }) => [id, within, options.control])).toEqual([
      ['outer', undefined, 'group'],
      ['inner', 'outer', 'rich text'],
      ['alone', undefined, 'rich text'],
      ['4', undefined, 'group'],
      ['mark', 'outer', 'placeholder'],
    ]);
  });

  test('does not list the control tags of template languages', async () => {
    const body =
      '{#lines}{name}{/lines}{^lines}none{/} {% if paid %}{{ total }}{% endif %} {{#xs}}{{/xs}} {FOR x IN xs}';
    const { fields } = await inspected(templateOf(p(run(body))));
    expect(fields.map(({ id }) => id)).toEqual(['name', 'total']);
  });
});
