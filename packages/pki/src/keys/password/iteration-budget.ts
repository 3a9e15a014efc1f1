import { signingKeyInvalid } from '../../pki-error.ts';

/** In iterations of PBKDF2: two to three seconds. Ten times the usual count of keystores. */
const COST_MAX = 5_000_000;
/** An iteration of RFC 7292, Appendix B takes this many times as long as one of PBKDF2, which is native. */
export const PKCS12_ITERATION_COST = 5;

/** Counts the key-derivation work that one file causes. */
export class IterationBudget {
  #left = COST_MAX;

  /** Throws SIGNING_KEY_INVALID when a file exceeds the budget. */
  spend(iterations: number, cost = 1): void {
    if (iterations < 1) throw signingKeyInvalid('The key specifies no iterations for its password.');
    this.#left -= iterations * cost;
    if (this.#left < 0)
      throw signingKeyInvalid(
        `The key specifies ${iterations} password iterations, more than the limit of ${COST_MAX / cost} over all parts of a file.`,
      );
  }
}
