import { docxOf } from './documents.ts';
import { randomFrom } from './random-forms.ts';

type Data = Record<string, unknown>;

/** A template with loops and conditions of rows and paragraphs, and data that shows none, one, some or all of each. */
export interface RandomPieces {
  template: Buffer;
  data(): Data;
}

const WORDS = 'vellum ink of oak gall quills gold leaf a lectern wax pumice'.split(' ');
const PROPERTIES = [
  '',
  '<w:jc w:val="both"/>',
  '<w:keepNext/><w:spacing w:before="200" w:after="120"/>',
  '<w:pStyle w:val="Heading1"/>',
  '<w:contextualSpacing/><w:ind w:left="500"/>',
  '<w:pBdr><w:bottom w:val="single" w:sz="8" w:color="0000FF"/></w:pBdr>',
];
const RUNS = [
  '',
  '<w:b/>',
  '<w:i/><w:color w:val="C00000"/>',
  '<w:sz w:val="36"/>',
  '<w:highlight w:val="yellow"/>',
];
const BORDERS = ['top', 'left', 'bottom', 'right', 'insideH', 'insideV'].map(
  (side) => `<w:${side} w:val="single" w:sz="4" w:color="808080"/>`,
);

export function randomPieces(seed: number): RandomPieces {
  const random = randomFrom(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  const words = (count: number) => Array.from({ length: count }, () => pick(WORDS)).join(' ');
  const run = (text: string) =>
    `<w:r><w:rPr>${pick(RUNS)}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
  const p = (text: string) => `<w:p><w:pPr>${pick(PROPERTIES)}</w:pPr>${run(text)}</w:p>`;
  const row = (left: string, right: string, properties = '') =>
    `<w:tr><w:trPr>${properties}</w:trPr>${[left, right].map((text) => `<w:tc><w:tcPr><w:tcW w:w="4500" w:type="dxa"/></w:tcPr>${p(text)}</w:tc>`).join('')}</w:tr>`;
  const table = (rows: readonly string[]) =>
    `<w:tbl><w:tblPr><w:tblW w:w="9000" w:type="dxa"/><w:tblBorders>${pick([BORDERS, BORDERS.slice(0, 4)]).join('')}</w:tblBorders></w:tblPr><w:tblGrid><w:gridCol w:w="4500"/><w:gridCol w:w="4500"/></w:tblGrid>${rows.join('')}</w:tbl>`;
  const names: { name: string; kind: 'loop' | 'list' | 'flag' }[] = [];
  const named = (kind: 'loop' | 'list' | 'flag') => {
    const name = `n${names.length}`;
    names.push({ name, kind });
    return name;
  };
  const blocks = [
    () => p(words(12)),
    () => p(`${words(4)} {text} ${words(3)}`),
    () => {
      const name = named('loop');
      const ends = below(2) === 0 ? [row('Sum', '{text}')] : [];
      const item = row(`{#${name}}{a}`, `${words(2)} {b}{/${name}}`, pick(['', '<w:cantSplit/>']));
      return table([row('Head', words(2), pick(['', '<w:tblHeader/>'])), item, ...ends]) + p(words(3));
    },
    () => {
      const name = named('flag');
      return (
        p(`{#${name}}`) +
        p(`Given: {${name}}`) +
        p(`{/${name}}`) +
        p(`{^${name}}`) +
        p('Not given.') +
        p(`{/${name}}`)
      );
    },
    () => {
      const name = named('list');
      const inner = p(`{a}: ${words(3)}`) + p('{#c}') + p('also {c}') + p('{/c}');
      return p(`{#${name}}`) + inner + p(`{/${name}}`);
    },
  ];
  const body = Array.from({ length: 4 + below(4) }, () => pick(blocks)()).join('');
  const item = () => ({
    a: words(1 + below(3)),
    b: String(below(900)),
    ...(below(2) === 0 && { c: words(2) }),
  });
  const list = () => Array.from({ length: pick([0, 1, 2 + below(4), 9, 25]) }, item);
  const makers = { loop: list, list, flag: () => (below(2) === 0 ? '' : words(2 + below(20))) };
  return {
    template: docxOf(p('Begin {text}') + body + p('end {text}')),
    data: () => ({
      text: pick([words(1), words(30), `${words(2)}\n${words(3)}`]),
      ...Object.fromEntries(names.map(({ name, kind }) => [name, makers[kind]()])),
    }),
  };
}
