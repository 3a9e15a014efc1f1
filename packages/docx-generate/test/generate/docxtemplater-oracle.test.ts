import { describe, expect, it } from '@jest/globals';
import { openPackage } from '@scriptorium/ooxml/package';
import { p, run, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { randomNumbers } from '@scriptorium/testing/random';
import Docxtemplater from 'docxtemplater';
import PizZip from 'pizzip';
import { generated, shownIn } from './generated.ts';

const SEEDS = 60;
const DEPTH_MAX = 3;

/** A random template in docxtemplater's language. All lists have items, because engines differ in what stays empty. */
class RandomTemplate {
  readonly #next: (max: number) => number;
  #depth = 0;

  constructor(seed: number) {
    this.#next = randomNumbers(seed);
  }

  body(): string {
    return Array.from({ length: 2 + this.#next(4) }, () => this.#block()).join('');
  }

  #block(): string {
    const isDeep = this.#depth >= DEPTH_MAX;
    switch (this.#next(isDeep ? 2 : 6)) {
      case 0:
        return this.#paragraph(this.#text());
      case 1:
        return this.#paragraph(`${this.#text()}${this.#inline()}${this.#text()}`);
      case 2:
        return this.#loop((inner) => this.#paragraph(this.#open) + inner() + this.#paragraph(this.#close));
      case 3:
        return this.#table();
      case 4:
        return this.#loop(
          (inner) =>
            this.#paragraph(`${this.#text()}${this.#open}${this.#text()}`) +
            inner() +
            this.#paragraph(`${this.#text()}${this.#close}${this.#text()}`),
        );
      default:
        return this.#paragraph('{^none}') + this.#paragraph(this.#text()) + this.#paragraph('{/none}');
    }
  }

  #open = '{#items}';
  #close = '{/items}';

  #loop(write: (inner: () => string) => string): string {
    this.#depth++;
    const text = write(() => Array.from({ length: 1 + this.#next(2) }, () => this.#block()).join(''));
    this.#depth--;
    return text;
  }

  #table(): string {
    const cell = (text: string) => `<w:tc><w:tcPr/>${this.#paragraph(text)}</w:tc>`;
    const row = (first: string, last: string) => `<w:tr>${cell(first)}${cell(last)}</w:tr>`;
    const rows = [
      row(this.#text(), 'head'),
      row(`{#items}${this.#text()}`, `${this.#text()}{/items}`),
      ...(this.#next(2) === 0
        ? [row(`{#items}${this.#text()}`, 'x'), row('y', `${this.#inline()}{/items}`)]
        : []),
    ];
    return `<w:tbl><w:tblPr/><w:tblGrid><w:gridCol w:w="1"/><w:gridCol w:w="1"/></w:tblGrid>${rows.join('')}</w:tbl>${this.#paragraph('end')}`;
  }

  #inline(): string {
    return (
      [
        '{#items}{name},{/items}',
        '{#yes}shown {name}{/yes}',
        '{^items}hidden{/items}',
        '{#items}{#yes}{.}{/yes}{/items}'.replace('{.}', '{name}'),
      ][this.#next(4)] ?? ''
    );
  }

  #text(): string {
    return ['plain ', '{name} ', 'a{missing}b ', '{name}{top} '][this.#next(4)] ?? '';
  }

  /** The text in up to three runs, divided anywhere. */
  #paragraph(text: string): string {
    const cuts = [this.#next(text.length), this.#next(text.length)].sort((a, b) => a - b);
    const pieces = [text.slice(0, cuts[0]), text.slice(cuts[0], cuts[1]), text.slice(cuts[1])];
    return p(
      pieces
        .filter((piece) => piece !== '')
        .map((piece) => run(piece))
        .join(''),
    );
  }
}

const leaf = (name: string) => ({ name, yes: true, items: [{ name: `${name}x` }, { name: `${name}y` }] });
const DATA = {
  name: 'N',
  top: 'T',
  yes: true,
  items: [{ ...leaf('1'), items: [leaf('1a'), leaf('1b')] }, leaf('2')],
};

describe('a random template', () => {
  it.each(Array.from({ length: SEEDS }, (_, seed) => seed))(
    'shows what docxtemplater shows, seed %i',
    async (seed) => {
      const source = templateOf(new RandomTemplate(seed).body());
      const document = new Docxtemplater(new PizZip(source), { paragraphLoop: true, nullGetter: () => '' });
      document.render(DATA);
      const expected = (await openPackage(document.toBuffer())).main.xml ?? '';
      const { shown } = await generated(source, DATA);
      expect(shown()).toEqual(shownIn(expected));
    },
  );
});
