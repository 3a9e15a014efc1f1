import { expect, it, test } from '@jest/globals';
import type { Json } from '@scriptorium/expressions/expression';
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
