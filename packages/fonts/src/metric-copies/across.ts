/** How a glyph is drawn anew: its points are scaled across, then moved. In units of the font. */
export interface Across {
  scale: number;
  shift: number;
}

/** Flags of simple glyphs (ISO/IEC 14496-22, 5.3.4). */
const [X_SHORT, REPEATED, X_SAME_OR_POSITIVE] = [0x02, 0x08, 0x10];
const Y_FLAGS = 0x01 | 0x04 | 0x20 | 0x40;
const HEADER_BYTES = 10;

/** Flags of components. */
const [WORDS, OFFSETS, SCALED, MORE, SCALED_XY, SCALED_BY_FOUR, PROGRAM, USE_METRICS] = [
  0x0001, 0x0002, 0x0008, 0x0020, 0x0040, 0x0080, 0x0100, 0x0200,
];

/**
 * A glyph of a `glyf` table, drawn anew and without its program. `of` returns how a component is drawn, and `middle` where its
 * middle is in its own font. So a mark stays above its letter. Throws for a glyph that ends too early.
 */
export function drawnAcross(
  glyph: Buffer,
  own: Across,
  of: (component: number) => Across & { middle: number },
): Buffer {
  if (glyph.length === 0) return glyph;
  const head = Buffer.from(glyph.subarray(0, HEADER_BYTES));
  for (const at of [2, 6]) head.writeInt16BE(place(head.readInt16BE(at), own), at);
  const isSimple = head.readInt16BE(0) >= 0;
  return Buffer.concat([head, isSimple ? simple(glyph, own) : composite(glyph, own, of)]);
}

const place = (x: number, { scale, shift }: Across): number => Math.round(scale * x + shift);

function simple(glyph: Buffer, own: Across): Buffer {
  const contours = glyph.readInt16BE(0);
  if (contours === 0) return Buffer.alloc(2);
  const ends = glyph.subarray(HEADER_BYTES, HEADER_BYTES + 2 * contours);
  const points = ends.readUInt16BE(2 * contours - 2) + 1;
  const program = HEADER_BYTES + 2 * contours;
  const { flags, end } = readFlags(glyph, program + 2 + glyph.readUInt16BE(program), points);
  const { places, yAt } = readPlaces(glyph, end, flags);
  const x = writeSteps(places.map((at) => place(at, own)));
  const newFlags = Buffer.from(flags.map((flag, index) => (flag & Y_FLAGS) | (x.flags[index] ?? 0)));
  return Buffer.concat([ends, Buffer.alloc(2), newFlags, x.bytes, glyph.subarray(yAt, yAt + yBytes(flags))]);
}

function readFlags(glyph: Buffer, start: number, points: number): { flags: number[]; end: number } {
  const flags: number[] = [];
  let at = start;
  while (flags.length < points) {
    const flag = glyph.readUInt8(at++);
    const times = flag & REPEATED ? glyph.readUInt8(at++) + 1 : 1;
    for (let time = 0; time < times; time++) flags.push(flag);
  }
  return { flags, end: at };
}

function readPlaces(
  glyph: Buffer,
  start: number,
  flags: readonly number[],
): { places: number[]; yAt: number } {
  let at = start;
  let x = 0;
  const places = flags.map((flag) => {
    if (flag & X_SHORT) x += glyph.readUInt8(at++) * (flag & X_SAME_OR_POSITIVE ? 1 : -1);
    else if (!(flag & X_SAME_OR_POSITIVE)) {
      x += glyph.readInt16BE(at);
      at += 2;
    }
    return x;
  });
  return { places, yAt: at };
}

function yBytes(flags: readonly number[]): number {
  const [short, same] = [0x04, 0x20];
  return flags.reduce((sum, flag) => sum + (flag & short ? 1 : flag & same ? 0 : 2), 0);
}

/** The steps from place to place, with their flags. */
function writeSteps(places: readonly number[]): { flags: number[]; bytes: Buffer } {
  const flags: number[] = [];
  const bytes: number[] = [];
  let last = 0;
  for (const at of places) {
    const step = at - last;
    last = at;
    if (step === 0) flags.push(X_SAME_OR_POSITIVE);
    else if (Math.abs(step) < 256) {
      flags.push(X_SHORT | (step > 0 ? X_SAME_OR_POSITIVE : 0));
      bytes.push(Math.abs(step));
    } else {
      flags.push(0);
      bytes.push((step >> 8) & 0xff, step & 0xff);
    }
  }
  return { flags, bytes: Buffer.from(bytes) };
}

function composite(
  glyph: Buffer,
  own: Across,
  of: (component: number) => Across & { middle: number },
): Buffer {
  const parts: Buffer[] = [];
  let at = HEADER_BYTES;
  let flags = MORE;
  while (flags & MORE) {
    flags = glyph.readUInt16BE(at);
    const component = glyph.readUInt16BE(at + 2);
    const transform = transformBytes(flags);
    const start = at + 4 + (flags & WORDS ? 4 : 2);
    const head = Buffer.alloc(8);
    head.writeUInt16BE((flags | WORDS) & ~(PROGRAM | USE_METRICS), 0);
    head.writeUInt16BE(component, 2);
    const [x, y] = readArguments(glyph, at + 4, flags);
    head.writeUInt16BE((flags & OFFSETS ? movedOffset(x, own, of(component)) : x) & 0xffff, 4);
    head.writeUInt16BE(y & 0xffff, 6);
    parts.push(head, glyph.subarray(start, start + transform));
    at = start + transform;
  }
  return Buffer.concat(parts);
}

/** Where a component goes, so that its middle is where the glyph's own scale has it. */
function movedOffset(x: number, own: Across, { middle, ...drawn }: Across & { middle: number }): number {
  return Math.round(own.scale * (x + middle) + own.shift - drawn.scale * middle - drawn.shift);
}

/** Offsets have signs, and numbers of points have none. */
function readArguments(glyph: Buffer, at: number, flags: number): [number, number] {
  if (flags & WORDS)
    return flags & OFFSETS
      ? [glyph.readInt16BE(at), glyph.readInt16BE(at + 2)]
      : [glyph.readUInt16BE(at), glyph.readUInt16BE(at + 2)];
  return flags & OFFSETS
    ? [glyph.readInt8(at), glyph.readInt8(at + 1)]
    : [glyph.readUInt8(at), glyph.readUInt8(at + 1)];
}

function transformBytes(flags: number): number {
  if (flags & SCALED) return 2;
  if (flags & SCALED_XY) return 4;
  return flags & SCALED_BY_FOUR ? 8 : 0;
}
