import { signingKeyInvalid } from '../../pki-error.ts';

/** In iterations of PBKDF2: two to three seconds. Ten times what writers of keystores ask for. */
const COST_MAX = 5_000_000;
/** An iteration of RFC 7292, Appendix B takes so many times as long as one of PBKDF2, which is native. */
export const PKCS12_ITERATION_COST = 5;

/** Counts what one file asks for to turn its password into keys. */
export class IterationBudget {
  #left = COST_MAX;

  /** Throws SIGNING_KEY_INVALID once a file asks for more than is done for one. */
  spend(iterations: number, cost = 1): void {
    if (iterations < 1) throw signingKeyInvalid('The key asks for no iterations of its password.');
    this.#left -= iterations * cost;
    if (this.#left < 0)
      throw signingKeyInvalid(
        `The key asks for ${iterations} iterations of its password, more than are done: ${COST_MAX / cost} over all parts of a file.`,
      );
  }
}
