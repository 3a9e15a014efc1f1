import { expect, test } from '@jest/globals';
import { few } from '@scriptorium/testing/extent';
import { growthOf, LINEAR_GROWTH_MAX, unitsOf } from '@scriptorium/testing/growth';
import { Budget } from '../src/bounds.ts';
import { decodeName, isReservedName, resolveTarget } from '../src/part-name.ts';
import { isSafeLink } from '../src/safe-links.ts';
import { scanXml } from '../src/xml-scan.ts';

const scan = (xml: string) =>
  scanXml(xml, [{ '*': { text: () => {}, open: () => {} } }], { budget: new Budget(), part: 'x' });

/** Readers of texts of callers, and the pieces that their languages are made of. */
const READERS: readonly (readonly [
  name: string,
  read: (text: string) => unknown,
  pieces: readonly string[],
])[] = [
  [
    'XML',
    (text) => scan(`<r>${text}</r>`),
    [
      '<a>',
      '</a>',
      '<a b="',
      '"',
      '<!--',
      '-->',
      '<?x ',
      '?>',
      '<![CDATA[',
      ']]>',
      ']',
      '&amp;',
      'x',
      ' ',
      '<',
      'xmlns:a="b"',
    ],
  ],
  [
    'values of XML',
    (text) => scan(`<r a="${text}"/>`),
    ['&amp;', '&#65;', '&#x', '&', ';', "'", 'x', ' ', '\n', '\u00e9'],
  ],
  [
    'names of parts',
    (text) => [resolveTarget('word/document.xml', text), decodeName(text), isReservedName(text)],
    ['a', '/', '..', '../', '.', '%41', '%', '\\', '_rels/', '.rels', ':', '?', '#'],
  ],
  [
    'links',
    isSafeLink,
    [
      'a',
      ':',
      '/',
      '\\',
      ' ',
      '\n',
      '+',
      '.',
      '-',
      '\u200b',
      'javascript:',
      '%',
      '25',
      '%25',
      '%2e',
      '../',
      '\uff0f',
    ],
  ],
];

test.each(READERS)(
  'the time for %s grows with the text',
  async (name, read, pieces) => {
    for (const unit of few(unitsOf(pieces, 10, 13), 0, 12)) {
      const isLinear = (await growthOf(read, unit)) < LINEAR_GROWTH_MAX;
      expect({ name, unit, isLinear }).toEqual({ name, unit, isLinear: true });
    }
  },
  600_000,
);
