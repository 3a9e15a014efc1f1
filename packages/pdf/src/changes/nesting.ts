import type { Operation } from './tokens.ts';

/** Operators that all readers know, but those of inline images, the end of which each finds in its own way (ISO 32000-2, annex A). */
const OPERATORS: ReadonlySet<string> = new Set([
  ...[...'bBcdfFGghijJKklmMnqQsSvwWy\'"'],
  ...[
    'b*',
    'B*',
    'f*',
    'W*',
    'T*',
    'BDC',
    'BMC',
    'BT',
    'cm',
    'CS',
    'cs',
    'd0',
    'd1',
    'Do',
    'DP',
    'EMC',
    'ET',
    'gs',
  ],
  ...['MP', 're', 'RG', 'rg', 'ri', 'sc', 'SC', 'scn', 'SCN', 'sh'],
  ...['Tc', 'Td', 'TD', 'Tf', 'Tj', 'TJ', 'TL', 'Tm', 'Tr', 'Ts', 'Tw', 'Tz'],
]);

/**
 * Whether content restores only states that it saved, ends marked content, and has operators that readers know. pdf.js takes
 * `QQ` for two operators.
 */
export class Nesting {
  #saved = 0;
  #marked = 0;
  #isBroken = false;

  follow({ operator, isLoose }: Operation): void {
    if (operator === 'q') this.#saved++;
    if (operator === 'Q') this.#saved--;
    if (operator === 'BDC' || operator === 'BMC') this.#marked++;
    if (operator === 'EMC') this.#marked--;
    if (isLoose || this.#saved < 0 || !OPERATORS.has(operator)) this.#isBroken = true;
  }

  /** At the end of the content. */
  get isBroken(): boolean {
    return this.#isBroken || this.#marked > 0;
  }
}
