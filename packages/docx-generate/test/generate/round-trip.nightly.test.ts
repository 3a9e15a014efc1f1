import { expect, test } from '@jest/globals';
import { p, run, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { roundTrip } from './round-trip.ts';

const TEMPLATES = 300;
const DEPTH_MAX = 4;
const NAMES = ['name', 'unit.price', 'customer.address.city', 'due', 'total', 'isPaid', 'note'];

interface Language {
  value(path: string): string;
  formatted(path: string): string[];
  loop(list: string, body: string, item: string): string;
  condition(path: string, body: string, otherwise: string): string;
}

/** Names of an item, which are read by its variable where a language has one. */
const LANGUAGES: Record<string, Language> = {
  curly: {
    value: (path) => `{${path}}`,
    formatted: (path) => [`{${path} | number(2)}`, `{${path} | default("-")}`, `{${path} * 2}`],
    loop: (list, body) => `{#${list}}${body}{/${list}}`,
    condition: (path, body, otherwise) => `{#${path}}${body}{/${path}}{^${path}}${otherwise}{/${path}}`,
  },
  jinja: {
    value: (path) => `{{ ${path} }}`,
    formatted: (path) => [`{{ ${path}|round(2) }}`, `{{ ${path}|default("-") }}`, `{{ ${path} + 1 }}`],
    loop: (list, body, item) => `{% for ${item} in ${list} %}${body}{% endfor %}`,
    condition: (path, body, otherwise) => `{% if ${path} > 3 %}${body}{% else %}${otherwise}{% endif %}`,
  },
  handlebars: {
    value: (path) => `{{${path}}}`,
    formatted: (path) => [`{{${path}}}`],
    loop: (list, body) => `{{#each ${list}}}${body}{{/each}}`,
    condition: (path, body, otherwise) => `{{#if ${path}}}${body}{{else}}${otherwise}{{/if}}`,
  },
  command: {
    value: (path) => `+++INS ${path}+++`,
    formatted: (path) => [`+++INS upper(${path})+++`],
    loop: (list, body, item) => `+++FOR ${item} IN ${list}+++${body}+++END-FOR ${item}+++`,
    condition: (path, body) => `+++IF ${path}+++${body}+++END-IF+++`,
  },
};

/** A generator of numbers below a bound (Numerical Recipes). */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Marks whose names are different at each depth, because one name has one kind. */
function marks(language: Language, random: (below: number) => number, depth: number, owner: string): string {
  const names = NAMES.map((name) => `${owner}${depth}${name}`);
  const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T;
  const inner = () => (depth < DEPTH_MAX ? marks(language, random, depth + 1, owner) : 'x');
  let text = '';
  for (let count = 1 + random(4); count > 0; count--) {
    const kind = random(5);
    const name = pick(names);
    if (kind < 2) text += language.value(name);
    else if (kind === 2) text += pick(language.formatted(`f${name.replace(/\./g, '')}`));
    else if (kind === 3) text += language.loop(`list${depth}${random(2)}`, inner(), `item${depth}`);
    else text += language.condition(`c${depth}${random(3)}`, inner(), language.value(`e${name}`));
    text += ' ';
  }
  return text;
}

test.each(Object.entries(LANGUAGES))(
  'random templates in %s are filled from their schemas',
  async (_, own) => {
    for (let seed = 1; seed <= TEMPLATES; seed++) {
      const text = marks(own, randomOf(seed), 0, 'a');
      await expect(roundTrip(templateOf(p(run(text)))).then(() => text)).resolves.toBe(text);
    }
  },
);
