import { expect, it, test } from '@jest/globals';
import type { Json } from '@scriptorium/expressions/expression';
import { escapeXml } from '@scriptorium/ooxml/xml';
import { p, run } from '@scriptorium/testing/fixtures/word-markup';
import { fromBody, refusal } from './generated.ts';

const lines = (text: string) =>
  text
    .split('\n')
    .map((line) => p(run(line)))
    .join('');

const DATA: Json = {
  name: 'Ada',
  kind: 'B',
  n: 3,
  e: '',
  day: '2026-05-30',
  people: [
    { name: 'John', age: 20 },
    { name: 'Eva', age: 18 },
    { name: 'Bob', age: 25 },
  ],
};

test.each<[text: string, shown: string[]]>([
  ['{% for x in people if x.age > 18 %}{{ x.name }}{{ loop.length }} {% endfor %}', ['John2 Bob2 ']],
  [
    '{% unless e %}{{ name | upcase }}{% endunless %}{% if n == 4 %}x{% elsif n == 3 %}y{% endif %}',
    ['ADAy'],
  ],
  ['{% assign z = n | plus: 2 %}{{ z }} {{ people | map: "name" | join: "+" }}', ['5 John+Eva+Bob']],
  ['{% case kind %}{% when "A", "C" %}a{% when "B" %}b{% else %}c{% endcase %}', ['b']],
  ['{% case kind %}\n{% when "A" %}\na\n{% else %}\nc\n{% endcase %}', ['c']],
  [
    '{% for x in people limit:2 offset:1 reversed %}{{ forloop.index }}{{ x.name }}{% endfor %}',
    ['1Bob2Eva'],
  ],
  ['{% for i in (1..n) %}{{ i }}{% endfor %}{% for i in range(2) %}{{ i }}{% endfor %}', ['12301']],
  ['{% comment %}{{ people }}{% endcomment %}{% with z = n %}{{ z }}{% endwith %}', ['3']],
  ['{# {{ people }} #}{{ name }}', ['Ada']],
])('statements of Jinja and Liquid are read: %s', async (text, shown) => {
  expect((await fromBody(lines(text), DATA, { onMissing: 'error' })).shown()).toEqual(shown);
});

test.each<[text: string, shown: string[]]>([
  ['{d.people[i, age > 18, name != John].name}{d.people[i+1, age > 18, name != John].name}', ['Bob']],
  ['{d.people[i].name} {d.people[i+1, age>18].name}', ['John Bob ']],
  ['{d.people[age, i].name} {d.people[age+1, i+1].name}', ['Eva John Bob ']],
  ['{d.people[age=18].name} {d.people[name="Bob"].age} {d.people[].age:aggSum}', ['Eva 25 63']],
  ['{#who = d.people[0].name}{#at($n) = d.people[$n].age}{$who:upperCase} {$at(1)}', ['JOHN 18']],
])('lists are searched, filtered and sorted in brackets of Carbone: %s', async (text, shown) => {
  expect((await fromBody(lines(text), DATA, { onMissing: 'error' })).shown()).toEqual(shown);
});

it('does not let aliases grow', async () => {
  const uses = (level: number) => `$a${level}`.repeat(300);
  const levels = Array.from({ length: 6 }, (_, level) => `{#a${level + 1} = d.${uses(level)}}`);
  const { details } = await refusal(lines(`{#a0 = d.x}\n${levels.join('\n')}\n{$a6}`), DATA);
  expect(details?.[0]?.issue).toMatch(/aliases are too long/);
});

it('shows each value of a property once in Carbone', async () => {
  const cars = ['car', 'plane', 'plane', 'car'].map((type, index) => ({ type, n: index }));
  const { shown } = await fromBody(lines('{d.cars[type].n};{d.cars[type+1].n}'), { cars });
  expect(shown()).toEqual(['0;1;']);
});

test.each<[text: string, shown: string[]]>([
  ["{{#switch: kind}}{{#case: 'A'}}a{{/}}{{#case: 'B'}}b{{/}}{{#default}}c{{/}}{{/}}", ['b']],
  ['{{#s: n}}{{#c: 1}}a{{#d}}c{{/}}{{/}}{{@i:n}}{{i}}{{/}}', ['c012']],
])('a template of DocxTemplater for .NET has switches and counts: %s', async (text, shown) => {
  expect((await fromBody(lines(text), DATA)).shown()).toEqual(shown);
});

it('repeats a whole table for docxtemplater, and refuses a row outside of tables', async () => {
  const cell = `<w:tc><w:tcPr/>${lines('{-w:tbl people}{name}{/people}')}</w:tc>`;
  const grid = '<w:tblPr/><w:tblGrid><w:gridCol/></w:tblGrid>';
  const { xml } = await fromBody(`<w:tbl>${grid}<w:tr>${cell}</w:tr></w:tbl>${p('')}`, DATA);
  expect(xml().match(/<w:tbl>/g)?.length).toBe(3);
  const { details } = await refusal(lines('{-w:tr people}{name}{/people}'), DATA);
  expect(details?.[0]?.issue).toMatch(/No w:tr is around it/);
});

it('makes links and texts of docx-templates from what stands in their commands', async () => {
  const text =
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a text of JavaScript
    '+++LINK ({ url: `https://e.org/${name}`, label: people[0].name })+++ +++= `${n + 1}:${kind}`+++';
  const { shown } = await fromBody(lines(text), DATA);
  expect(shown()).toEqual(['John 4:B']);
  const unsafe = await refusal(lines('+++LINK ({ url: "javascript:alert(1)" })+++'), DATA);
  expect(unsafe.code).toBe('VALIDATION_ERROR');
});

const field = (name: string) => `<w:fldSimple w:instr=" ${escapeXml(name)} ">${run('«x»')}</w:fldSimple>`;
const fields = (text: string) =>
  text
    .split('\n')
    .map((line) =>
      p(
        line
          .split('~')
          .map((part) => (/^[A-Z]{5}/.test(part) ? field(part) : run(part)))
          .join(''),
      ),
    )
    .join('');

test.each<[text: string, shown: string[]]>([
  [`MERGEFIELD "Dear \${name}, $name!"`, ['Dear Ada, Ada!']],
  ['MERGEFIELD "#foreach($x in $people)$x.name#if($x.age > 20)+#{else}-#end;#end"', ['John-;Eva-;Bob+;']],
  ["MERGEFIELD [#if kind = 'B']yes[#elseif n gt 2]2[#else]no[/#if]", ['yes']],
  [`MERGEFIELD \${name?upper_case?length}~/~MERGEFIELD \${n?string("0.00")}`, ['3/3.00']],
  [
    `MERGEFIELD [#list people as x]~MERGEFIELD \${x_index}~MERGEFIELD [#if x_has_next]~,~MERGEFIELD [/#if]~MERGEFIELD [/#list]`,
    ['0,1,2'],
  ],
  [
    'MERGEFIELD #set($z = 0)~MERGEFIELD #foreach($x in $people)~MERGEFIELD "#set($z = $z + $x.age)"~MERGEFIELD #end~MERGEFIELD $z',
    ['63'],
  ],
  [`MERGEFIELD "[#if (n > 2)?string == 'true' && n?string == '3']"~yes~MERGEFIELD [/#if]`, ['yes']],
  ['MERGEFIELD "#set($z = $n + $n)"~MERGEFIELD $z', ['6']],
  [`MERGEFIELD \${e?string("yes", 'no')}~MERGEFIELD \${n?string["0.0"]}`, ['no3.0']],
  ['MERGEFIELD people:if(any?)\nMERGEFIELD =name\nMERGEFIELD people:endIf', ['Ada']],
  ['MERGEFIELD people:if(empty?)\nMERGEFIELD =name\nMERGEFIELD people:endIf', []],
  ['MERGEFIELD day \\@ "DD/MM/YYYY"', ['30/05/2026']],
  ['MERGEFIELD #set($z=n)~MERGEFIELD $z~MERGEFIELD [#assign y=kind]~MERGEFIELD $y', ['3B']],
  [
    'MERGEFIELD people:each(x)\nMERGEFIELD =x.name~MERGEFIELD x.age:if(>20)~!~MERGEFIELD x.age:endIf\nMERGEFIELD people:endEach',
    ['John', 'Eva', 'Bob!'],
  ],
  ['MERGEFIELD v \\* FirstCap MERGEFORMAT', ['']],
])('merge fields of XDocReport and Sablon are read: %s', async (text, shown) => {
  expect((await fromBody(fields(text), DATA)).shown()).toEqual(shown);
});

const char = (type: string) => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
const complex = (code: string) => {
  const texts = escapeXml(code)
    .split('\n')
    .map((part) => `<w:instrText xml:space="preserve">${part}</w:instrText>`);
  return `${char('begin')}<w:r>${texts.join('<w:br/>')}</w:r>${char('separate')}${run('«x»')}${char('end')}`;
};

const GREETING =
  'GREETINGLINE \\f "<<_BEFORE_ Dear >><<_TITLE0_ >><<_LAST0_>><<_AFTER_ ,>>" \\l 1033 \\e "Dear Sir or Madam,"';
const ADDRESS =
  'ADDRESSBLOCK \\f "<<_FIRST0_>><< _LAST0_>>\n<<_COMPANY_\n>><<_STREET1_\n>><<_POSTAL_ >><<_CITY_>>" \\c 2';

test.each<[text: string, data: Json, shown: string]>([
  [GREETING, { 'Courtesy Title': 'Ms.', LAST_NAME: 'Lovelace' }, 'Dear Ms. Lovelace,'],
  [GREETING, { Last: 'Lovelace' }, 'Dear Lovelace,'],
  [GREETING, {}, 'Dear Sir or Madam,'],
  [
    ADDRESS,
    { FirstName: 'Ada', LastName: 'L', Address1: 'Main 1', Zip: '1', City: 'X' },
    'Ada L\vMain 1\v1 X',
  ],
])('a greeting and an address are made of the columns of the data: %s', async (text, data, shown) => {
  expect((await fromBody(p(complex(text)), data)).shown()).toEqual([shown]);
});

it('an address without any column is missing', async () => {
  const { report } = await fromBody(p(complex(ADDRESS)), { Name: 'Ada' });
  expect(report.unmatched.count).toBe(1);
});

test.each([
  '[[name]]',
  '<<name>>',
  '[[day]:format(dd.MM.yyyy)]',
  '{name} <<[name]>>',
  '{name} <<rs_people>>',
  '{name} <%=name%>',
  `##band=people \${name}`,
  '{{name}}\n@if(n,==,3)\nx\n@endif',
  '[people.name;block=tbs:row]',
  '{name} {:include part}',
  '{name} {logo [width: 100]}',
])('a mark of another language does not stay as text: %s', async (text) => {
  expect((await refusal(lines(text), DATA)).code).toBe('TEMPLATE_INVALID');
});

it('takes delimiters that look like another language', async () => {
  expect((await fromBody(lines('{=<% %>=}<%name%>'), DATA)).shown()).toEqual(['Ada']);
  expect((await fromBody(lines('{name} [[note]]'), DATA)).shown()).toEqual(['Ada [[note]]']);
});
