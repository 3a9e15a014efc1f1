import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type IterationBudget, PKCS12_ITERATION_COST } from './iteration-budget.ts';

/** Iterations between two yields to the event loop: about 5 ms. */
const ITERATIONS_A_TURN = 2_000;
/** Input block sizes of the hash functions, in octets. */
const BLOCK_OCTETS: Record<string, number> = { sha384: 128, sha512: 128 };

/** The purpose of the derived octets (RFC 7292, B.3). */
export const PURPOSE = { key: 1, iv: 2, mac: 3 } as const;

export interface Pkcs12Derivation {
  hash: string;
  /** In the form of `pkcs12Password`. */
  password: Buffer;
  salt: Buffer;
  iterations: number;
}

/**
 * A password in the form of RFC 7292, B.1: UTF-16 in big-endian order, and two zero octets. Empty without a password.
 */
export function pkcs12Password(password: string | undefined): Buffer {
  return password === undefined ? Buffer.alloc(0) : Buffer.from(`${password}\0`, 'utf16le').swap16();
}

/** Derives octets from a password (RFC 7292, B.2). Throws SIGNING_KEY_INVALID if the budget is exceeded. */
export async function pkcs12Derive(
  { hash, password, salt, iterations }: Pkcs12Derivation,
  { purpose, length, budget }: { purpose: number; length: number; budget: IterationBudget },
): Promise<Buffer> {
  const blockOctets = BLOCK_OCTETS[hash] ?? 64;
  const diversifier = Buffer.alloc(blockOctets, purpose);
  const input = Buffer.concat([filledUp(salt, blockOctets), filledUp(password, blockOctets)]);
  const made: Buffer[] = [];
  for (let octets = 0; octets < length; ) {
    budget.spend(iterations, PKCS12_ITERATION_COST);
    const block = await iterate(hash, Buffer.concat([diversifier, input]), iterations);
    made.push(block);
    octets += block.length;
    addToEach(input, blockOctets, filledUp(block, blockOctets));
  }
  return Buffer.concat(made).subarray(0, length);
}

async function iterate(hash: string, start: Buffer, iterations: number): Promise<Buffer> {
  let block = start;
  for (let done = 1; done <= iterations; done++) {
    block = createHash(hash).update(block).digest();
    if (done % ITERATIONS_A_TURN === 0) await nextTurn();
  }
  return block;
}

/** Repeats the octets up to a multiple of the block size. Empty input stays empty. */
function filledUp(octets: Buffer, blockOctets: number): Buffer {
  const length = Math.ceil(octets.length / blockOctets) * blockOctets;
  return length === 0 ? Buffer.alloc(0) : Buffer.alloc(length, octets);
}

/** Adds `addend` + 1 to each block of `input`, modulo the block size. */
function addToEach(input: Buffer, blockOctets: number, addend: Buffer): void {
  for (let start = 0; start < input.length; start += blockOctets) {
    let carry = 1;
    for (let index = blockOctets - 1; index >= 0; index--) {
      carry += (input[start + index] ?? 0) + (addend[index] ?? 0);
      input[start + index] = carry & 0xff;
      carry >>>= 8;
    }
  }
}
