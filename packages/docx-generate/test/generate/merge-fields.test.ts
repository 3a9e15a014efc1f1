import { describe, expect, it, test } from '@jest/globals';
import { type Json, parseExpression } from '@scriptorium/expressions/expression';
import { escapeXml } from '@scriptorium/ooxml/xml';
import { p, run, sdt } from '@scriptorium/testing/fixtures/word-markup';
import { expressionsIn, foundIn, issuesOf, readingsOf } from './found.ts';
import { fromBody, refusal } from './generated.ts';

const mark = (type: string) => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
const code = (text: string) => `<w:r><w:instrText xml:space="preserve">${text}</w:instrText></w:r>`;
const field = (instruction: string, result = run('«x»')) =>
  mark('begin') + code(instruction) + mark('separate') + result + mark('end');
const w = (text: string) => parseExpression(text, { syntax: 'word', isLoose: true });
const reference = expressionsIn('word');

describe('a merge field', () => {
  test.each([
    [' MERGEFIELD a.b ', { type: 'value', expression: w('a.b') }],
    [' MERGEFIELD  name  \\* MERGEFORMAT ', { type: 'value', expression: w('name') }],
    ['MERGEFIELD "first name" \\* MERGEFORMAT', { type: 'value', expression: w('first name') }],
    [' MERGEFIELD Image:logo ', { type: 'value', expression: w('logo'), as: 'image' }],
    [' MERGEFIELD TableStart:xs ', { type: 'open', kind: 'section', name: 'xs', expression: w('xs') }],
    [' MERGEFIELD "TableEnd:xs" \\* MERGEFORMAT', { type: 'close', name: 'xs' }],
    [' MERGEFIELD BeginGroup:xs ', { type: 'open', kind: 'section', name: 'xs', expression: w('xs') }],
    [' MERGEFIELD EndGroup:xs ', { type: 'close', name: 'xs' }],
  ])('%s has a meaning', async (instruction, meaning) => {
    const found = await foundIn(p(field(instruction.replaceAll('"', '&quot;'))));
    expect(readingsOf(found)).toEqual([[instruction.trim(), meaning]]);
    expect(found.syntaxes).toEqual(['word']);
  });

  it('stands in document order among the marks of text', async () => {
    const found = await foundIn(p(run('{a}') + field('MERGEFIELD b') + run('{c}')));
    expect(found.marks.map(({ written }) => written)).toEqual(['{a}', 'MERGEFIELD b', '{c}']);
    expect(found.syntaxes).toEqual(['curly', 'word']);
  });

  it('hides the text that it showed last', async () => {
    const found = await foundIn(p(field('MERGEFIELD b', run('{old}'))));
    expect(found.marks.map(({ written }) => written)).toEqual(['MERGEFIELD b']);
    expect((await fromBody(p(field('MERGEFIELD b', run('{old}'))), { b: 'new' })).shown()).toEqual(['new']);
  });

  it('is a range with another one', async () => {
    const body =
      p(field('MERGEFIELD TableStart:xs')) + p(field('MERGEFIELD n')) + p(field('MERGEFIELD TableEnd:xs'));
    expect((await fromBody(body, { xs: [{ n: 1 }, { n: 2 }] })).shown()).toEqual(['1', '2']);
    const other = body.replace('TableStart:xs', 'TableStart:XS');
    expect((await fromBody(other, { xs: [{ n: 1 }, { n: 2 }] })).shown()).toEqual(['1', '2']);
  });

  it('is read in the languages auto and word only', async () => {
    const body = p(field('MERGEFIELD b') + run('{a}'));
    expect((await foundIn(body, { syntax: 'word' })).marks.map(({ written }) => written)).toEqual([
      'MERGEFIELD b',
    ]);
    expect((await foundIn(body, { syntax: 'curly' })).marks.map(({ written }) => written)).toEqual(['{a}']);
  });
});

describe('a merge field of XDocReport', () => {
  test.each([
    [`\${order.no}`, { type: 'value', expression: reference('order.no') }],
    ['$order.no \\@ "dd.MM.yyyy"', { type: 'value', expression: reference('order.no \\@ "dd.MM.yyyy"') }],
    [`$!{order.no}`, { type: 'value', expression: reference('order.no') }],
    ['$foreach.index', { type: 'value', expression: reference('loop.index0') }],
    ['"#foreach($x in $order.lines)"', { type: 'open', kind: 'for', variable: 'x' }],
    [`@before-row#foreach( $x in \${xs} )`, { type: 'open', kind: 'for', variable: 'x', unit: 'row' }],
    ['@after-row#end', { type: 'close', name: '', unit: 'row' }],
    [
      '#if($a.b > 3 && !$c)',
      { type: 'open', kind: 'if', expression: expressionsIn('command')('a.b > 3 && !c') },
    ],
    ['#elseif($d)', { type: 'else', expression: expressionsIn('command')('d') }],
    ['#else', { type: 'else' }],
    ['## a note', { type: 'comment' }],
    ['[#list order.lines as x]', { type: 'open', kind: 'for', variable: 'x' }],
    ['[/#list]', { type: 'close', kind: 'for' }],
    [
      '[#if a?? && b gt 2]',
      { type: 'open', kind: 'if', expression: expressionsIn('command')('a is defined && b > 2') },
    ],
    ['[#else]', { type: 'else' }],
    ['[/#if]', { type: 'close', kind: 'if' }],
    [`\${name!"none"}`, { type: 'value', expression: expressionsIn('command')('name ?? "none"') }],
    [`"\${name!\\"none\\"}"`, { type: 'value', expression: expressionsIn('command')('name ?? "none"') }],
  ])('%s has a meaning', async (name, meaning) => {
    const found = await foundIn(p(field(`MERGEFIELD ${escapeXml(name)}`)));
    expect(readingsOf(found)).toEqual([[expect.anything(), expect.objectContaining(meaning)]]);
  });

  test.each([
    [`\${date?iso_utc}`, /“\?iso_utc” of FreeMarker is not supported/],
    ['#macro(a)', /#macro of Velocity is not supported/],
    ['[#sep]', /\[#sep\] of FreeMarker is not supported/],
    ['@logo:start', /picture of Sablon is not supported/],
    ['#if($name == "$other")', /reference in a text is not supported/],
  ])('%s is a mistake', async (name, issue) => {
    expect(issuesOf(await foundIn(p(field(`MERGEFIELD ${escapeXml(name)}`))))).toEqual([
      expect.stringMatching(issue),
    ]);
  });

  test.each([
    ['Velocity', '@before-row#foreach($x in $xs)', '#if($x.n > 1)', '#end', '@after-row#end'],
    ['FreeMarker', '@before-row[#list xs as x]', '[#if x.n gt 1]', '[/#if]', '@after-row[/#list]'],
  ])('repeats and hides in %s', async (_, loop, condition, end, endOfLoop) => {
    const of = (name: string) => field(`MERGEFIELD ${escapeXml(name)}`);
    const cell = (content: string) => `<w:tc><w:tcPr/>${p(content)}</w:tc>`;
    const cells = cell(of(loop) + of('$x.n')) + cell(of(condition) + run('more') + of(end) + of(endOfLoop));
    const body = `<w:tbl><w:tblPr/><w:tblGrid/><w:tr>${cells}</w:tr></w:tbl>`;
    expect((await fromBody(body, { xs: [{ n: 1 }, { n: 2 }] })).shown()).toEqual(['|1||', '|2|more|']);
  });
});

describe('the name in a merge field', () => {
  it('is compared as in Word: case does not matter, and “_” stands for other signs', async () => {
    const body = p(
      ['name', 'First_Name', 'Kunden_Nr_', 'customer.city']
        .map((name) => field(`MERGEFIELD ${name}`))
        .join(run('|')),
    );
    const data = { Name: 'A', 'First Name': 'B', 'Kunden-Nr.': 3, Customer: { CITY: 'D' } };
    expect((await fromBody(body, data)).shown()).toEqual(['A|B|3|D']);
    const exact = { ...data, name: 'a', first_name: 'b', First_Name: 'c' };
    expect((await fromBody(body, exact)).shown()).toEqual(['a|c|3|D']);
  });

  it('is compared exactly in marks of text and in controls', async () => {
    const body = p(run('{name}')) + sdt({ id: 1, tag: 'first' }, p(run('x')));
    expect((await fromBody(body, { Name: 'A', First: 'B' })).shown()).toEqual(['', 'x']);
  });
});

describe('a field of a mail merge that is not taken', () => {
  test.each([
    [
      'a condition on a field of one element',
      `${mark('begin')}${code(' IF ')}<w:fldSimple w:instr="MERGEFIELD x">${run('x')}</w:fldSimple>${code(' = 1')}${mark('end')}`,
      /This IF field/,
    ],
    ['the next record', field(' NEXT '), /field NEXT/],
    [
      'a field that ends elsewhere',
      `${mark('begin')}${code(' MERGEFIELD x ')}</w:p><w:p>${mark('end')}`,
      /does not end/,
    ],
    [
      'a field that shares its run',
      `<w:r><w:t>a</w:t><w:fldChar w:fldCharType="begin"/></w:r>${code('MERGEFIELD x')}${mark('end')}`,
      /shares a run/,
    ],
  ])('is a mistake: %s', async (_, body, issue) => {
    const found = await foundIn(p(body));
    expect(issuesOf(found)).toEqual([expect.stringMatching(issue)]);
  });

  it('is none if it shows no data', async () => {
    const found = await foundIn(
      p(
        field(' PAGE ') +
          field(' DATE \\@ &quot;yyyy&quot; ') +
          field(' HYPERLINK &quot;x&quot; ', run('{a}')),
      ),
    );
    expect(issuesOf(found)).toEqual([]);
    expect(found.marks.map(({ written }) => written)).toEqual(['{a}']);
  });
});

describe('a field IF with merge fields', () => {
  const merged = (name: string) => field(`MERGEFIELD ${name}`, run('«x»'));
  const condition = (...parts: string[]) =>
    mark('begin') + parts.join('') + mark('separate') + run('old') + mark('end');

  test.each<[data: Json, shown: string]>([
    [{ total: 150, name: 'Ada' }, 'Dear Ada, thanks'],
    [{ total: '99' }, 'Small'],
    [{ total: null }, 'Small'],
  ])('shows one of its texts: %j', async (data, shown) => {
    const body = condition(
      code(' IF '),
      merged('Total'),
      code(' &gt;= 100 "Dear '),
      merged('name'),
      code(', thanks" "Small" \\* MERGEFORMAT '),
    );
    expect((await fromBody(p(body), data)).shown()).toEqual([shown]);
  });

  test.each<[comparison: string, data: Json, shown: string]>([
    [' = "A*"', { a: 'Ada' }, 'y'],
    [' = "*d*"', { a: 'Ada' }, 'y'],
    [' = "*d"', { a: 'Ada' }, 'n'],
    [' &lt;&gt; "*a"', { a: 'Ada' }, 'n'],
    [' = "TRUE"', { a: true }, 'y'],
    [' = "True"', { a: false }, 'n'],
  ])('compares a part of a text, and booleans in capital letters: %s', async (comparison, data, shown) => {
    const body = condition(code('IF '), merged('a'), code(`${comparison} "y" "n"`));
    expect((await fromBody(p(body), data)).shown()).toEqual([shown]);
  });

  it('compares a missing value as an empty text, and counts a missing one that it shows', async () => {
    const body = condition(code('IF "'), merged('sex'), code('" = "" "'), merged('other'), code('" "x"'));
    const { shown, report } = await fromBody(p(body), {});
    expect([shown(), report.unmatched.names]).toEqual([[''], ['data.other']]);
    expect((await fromBody(p(body), { sex: 'f', other: 'o' })).shown()).toEqual(['x']);
  });

  it('may have others in its texts', async () => {
    const nested = condition(code('IF '), merged('n'), code(' = 2 "two" "'), merged('n'), code(' of many"'));
    const body = condition(
      code('IF '),
      merged('n'),
      code(' = "1" "one" "'),
      nested,
      code('" \\* MERGEFORMAT'),
    );
    for (const [n, shown] of Object.entries({ 1: 'one', 2: 'two', 3: '3 of many' }))
      expect((await fromBody(p(body), { n })).shown()).toEqual([shown]);
  });

  test.each([
    [condition(code('IF '), merged('a'), code(' = "b?" "x" "y"')), /^This IF field/],
    [condition(code('IF '), merged('a'), code(' = "b"')), /^This IF field/],
    [
      condition(code('IF '), merged('a'), code(' = "b" "'), field('PAGE'), code('" "z"')),
      /^A field in a field of IF/,
    ],
  ])('is refused by its name in other forms: %#', async (body, issue) => {
    const { details } = await refusal(p(body), { a: 1 });
    expect(details?.[0]?.issue).toMatch(issue);
  });
});

describe('a formula', () => {
  const computed = (...parts: string[]) =>
    mark('begin') + parts.join('') + mark('separate') + run('99') + mark('end');
  const of = (name: string) => field(`MERGEFIELD ${name}`);

  it('is computed from merge fields', async () => {
    const body = p(
      computed(
        code(' =('),
        of('a'),
        code(' - '),
        of('"Unit Price"'),
        code(') * 2 \\# "0.00" \\* MERGEFORMAT'),
      ),
    );
    expect((await fromBody(body, { a: 1, 'Unit Price': 2.5 })).shown()).toEqual(['-3.00']);
    const { details } = await refusal(p(computed(code('=SUM('), of('a'), code(', 1)'))), { a: 1 });
    expect(details?.[0]?.issue).toMatch(/^The field = of a mail merge is not supported/);
  });

  it('of cells is refused in a table with marks, where its result would be that of the template', async () => {
    const table = (...rows: string[]) =>
      `<w:tbl><w:tblPr/><w:tblGrid/>${rows.map((row) => `<w:tr><w:tc><w:tcPr/>${p(row)}</w:tc></w:tr>`).join('')}</w:tbl>`;
    const sum = field('=SUM(ABOVE)', run('99'));
    const { details } = await refusal(table(run('{#xs}{n}{/xs}'), sum), { xs: [{ n: 1 }] });
    expect(details?.[0]).toEqual({
      field: 'word/document.xml:table[1]/row[2]/cell[1]/paragraph[1]',
      issue: expect.stringMatching(/^A formula is not computed in a table with marks.*“=SUM\(ABOVE\)”$/),
    });
    const control = sdt({ id: 1, tag: 'a' }, run('x'));
    expect((await refusal(table(control, sum), { a: 'Ada' })).details?.[0]?.issue).toMatch(/^A formula/);
    const { shown } = await fromBody(table(run('1'), sum) + p(run('{a}') + control), { a: 'Ada' });
    expect(shown().slice(-1)).toEqual([expect.stringMatching(/^Ada/)]);
  });

  it('or another field that computes is refused with a mark in its code', async () => {
    const { details } = await refusal(p(field('IF &quot;{a}&quot; = &quot;b&quot; 1 2')), { a: 'b' });
    expect(details?.[0]?.issue).toMatch(/^A mark in the code of a field is not supported/);
  });
});
