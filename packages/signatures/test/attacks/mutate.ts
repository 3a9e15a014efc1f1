/** A reproducible source of random numbers. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Returns an integer from 0 to below `bound` (mulberry32). */
  below(bound: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound);
  }

  of<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error('there is nothing to choose from');
    return item;
  }
}

const TOKENS = [
  ...['endobj', 'endstream', 'stream\n', 'xref\n0 1\n', 'trailer\n<<>>', 'startxref\n0\n%%EOF\n', '%%EOF\n'],
  ...['<<', '>>', '[', ']', '(', ')', '<', '>', '%', '\0', 'null', '-1', '99999999999', '1 0 R', '9999 0 R'],
  ...['/ByteRange [0 1 2 3]', '/Contents <00>', '/V null', '/Root 1 0 R', '/Prev 0', '/Length 99999999'],
  ...[
    '/Type/ObjStm',
    '/Kids[2 0 R]',
    '/Perms<<>>',
    '/Annots[]',
    '/Fields[]',
    '[[[[[[[[',
    '<<<<<<<<',
    '4 0 obj ',
  ],
];

type Mutation = (pdf: Buffer, dice: Dice) => Buffer;

/** Returns a position: anywhere, near the end of the file, or beside an important key. */
function placeIn(pdf: Buffer, dice: Dice): number {
  const kind = dice.below(3);
  if (kind === 0) return dice.below(pdf.length);
  if (kind === 1) return Math.max(0, pdf.length - 1 - dice.below(2_000));
  const words = [
    '/ByteRange',
    '/Contents',
    ' obj',
    'xref',
    'trailer',
    'startxref',
    '/Fields',
    '/V',
    '/Prev',
    '/Root',
  ];
  const at = pdf.indexOf(dice.of(words), dice.below(pdf.length), 'latin1');
  return at === -1 ? dice.below(pdf.length) : Math.min(pdf.length - 1, at + dice.below(60));
}

const spliced = (pdf: Buffer, start: number, end: number, ...middle: Buffer[]): Buffer =>
  Buffer.concat([pdf.subarray(0, start), ...middle, pdf.subarray(end)]);

const withByte = (pdf: Buffer, at: number, byte: number): Buffer => {
  const copy = Buffer.from(pdf);
  copy[at] = byte;
  return copy;
};

const MUTATIONS: readonly Mutation[] = [
  function bit(pdf, dice) {
    const at = placeIn(pdf, dice);
    return withByte(pdf, at, (pdf[at] ?? 0) ^ (1 << dice.below(8)));
  },
  function byte(pdf, dice) {
    return withByte(pdf, placeIn(pdf, dice), dice.below(256));
  },
  function digit(pdf, dice) {
    let at = placeIn(pdf, dice);
    while (at < pdf.length && !((pdf[at] ?? 0) >= 0x30 && (pdf[at] ?? 0) <= 0x39)) at++;
    return at === pdf.length ? pdf : withByte(pdf, at, 0x30 + dice.below(10));
  },
  function token(pdf, dice) {
    const at = placeIn(pdf, dice);
    return spliced(pdf, at, at, Buffer.from(dice.of(TOKENS), 'latin1'));
  },
  function tokenInPlace(pdf, dice) {
    const at = placeIn(pdf, dice);
    const copy = Buffer.from(pdf);
    copy.write(dice.of(TOKENS), at, 'latin1');
    return copy;
  },
  function cut(pdf, dice) {
    return pdf.subarray(0, placeIn(pdf, dice));
  },
  function without(pdf, dice) {
    const start = placeIn(pdf, dice);
    return spliced(pdf, start, Math.min(pdf.length, start + 1 + dice.below(200)));
  },
  function twice(pdf, dice) {
    const start = placeIn(pdf, dice);
    const block = pdf.subarray(start, start + 1 + dice.below(400));
    const at = placeIn(pdf, dice);
    return spliced(pdf, at, at, block);
  },
  function moved(pdf, dice) {
    const start = placeIn(pdf, dice);
    const block = Buffer.from(pdf.subarray(start, start + 1 + dice.below(400)));
    const rest = spliced(pdf, start, start + block.length);
    const at = dice.below(rest.length + 1);
    return spliced(rest, at, at, block);
  },
  function appended(pdf, dice) {
    const start = placeIn(pdf, dice);
    return Buffer.concat([pdf, pdf.subarray(start)]);
  },
  function appendedTokens(pdf, dice) {
    const tokens = Array.from({ length: 1 + dice.below(6) }, () => dice.of(TOKENS)).join(' ');
    return Buffer.concat([pdf, Buffer.from(tokens, 'latin1')]);
  },
];

/** Applies one to three changes to a file. */
export function mutated(pdf: Buffer, dice: Dice): Buffer {
  let bytes = pdf;
  for (let times = 1 + dice.below(3); times > 0; times--) {
    if (bytes.length > 0) bytes = dice.of(MUTATIONS)(bytes, dice);
  }
  return bytes;
}
