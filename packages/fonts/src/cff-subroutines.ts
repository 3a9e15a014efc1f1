import type { Index } from './cff-structures.ts';

/** Operators of Type 2 charstrings (Adobe Technical Note 5177, appendix A). */
const CALL_LOCAL = 10;
const RETURN = 11;
const ESCAPE = 12;
const END = 14;
const CALL_GLOBAL = 29;
const STEMS = new Set([1, 3, 18, 23]);
const MASKS = new Set([19, 20]);
const DEPTH_MAX = 10;
const STEPS_MAX = 5_000_000;

/** Finds the subroutines that charstrings call. `globals` collects those of the font, `locals` those of a Font DICT. */
export class SubroutineCalls {
  readonly globals = new Set<number>();
  readonly #globalIndex: Index;
  #steps = 0;

  constructor(globalIndex: Index) {
    this.#globalIndex = globalIndex;
  }

  /** Follows one charstring. Throws a plain Error if it is not a valid Type 2 charstring. */
  follow(charString: Buffer, localIndex: Index | undefined, locals: Set<number>): void {
    const state = { operands: [] as number[], hints: 0, isEnded: false };
    const run = (code: Buffer, depth: number): void => {
      if (depth > DEPTH_MAX) throw new Error('A charstring nests subroutine calls too deeply.');
      let at = 0;
      while (at < code.length && !state.isEnded) {
        if (++this.#steps > STEPS_MAX) throw new Error('A charstring takes too many steps.');
        const byte = code.readUInt8(at);
        if (byte >= 32 || byte === 28) {
          const { value, length } = readOperand(code, at, byte);
          state.operands.push(value);
          at += length;
          continue;
        }
        at += byte === ESCAPE ? 2 : 1;
        if (byte === RETURN) return;
        if (byte === CALL_LOCAL || byte === CALL_GLOBAL) {
          const index = byte === CALL_LOCAL ? localIndex : this.#globalIndex;
          const called = byte === CALL_LOCAL ? locals : this.globals;
          run(call(state.operands.pop(), index, called), depth + 1);
          continue;
        }
        if (STEMS.has(byte) || MASKS.has(byte)) state.hints += state.operands.length >> 1;
        if (MASKS.has(byte)) at += Math.ceil(state.hints / 8);
        if (byte === END) state.isEnded = true;
        state.operands = [];
      }
    };
    run(charString, 0);
  }
}

function call(operand: number | undefined, index: Index | undefined, called: Set<number>): Buffer {
  if (operand === undefined || index === undefined)
    throw new Error('A charstring has a call without a subroutine.');
  const number = operand + bias(index.count);
  if (number < 0 || number >= index.count) throw new Error('A charstring calls a missing subroutine.');
  called.add(number);
  return index.item(number);
}

/** The bias added to the subroutine number in a call (Technical Note 5176, 16). */
function bias(count: number): number {
  if (count < 1_240) return 107;
  return count < 33_900 ? 1_131 : 32_768;
}

function readOperand(code: Buffer, at: number, byte: number): { value: number; length: number } {
  if (byte === 28) return { value: code.readInt16BE(at + 1), length: 3 };
  if (byte <= 246) return { value: byte - 139, length: 1 };
  if (byte <= 250) return { value: (byte - 247) * 256 + code.readUInt8(at + 1) + 108, length: 2 };
  if (byte <= 254) return { value: -(byte - 251) * 256 - code.readUInt8(at + 1) - 108, length: 2 };
  return { value: code.readInt32BE(at + 1) / 65_536, length: 5 };
}
