/** A mistake in the template. The message names it. */
export class ExpressionError extends Error {
  override name = 'ExpressionError';
}

/** A value of the data that an expression cannot use. The message names the mistake without its place. */
export class DataError extends Error {
  override name = 'DataError';
  /** The place in the data, such as `data.items[3].price`. */
  readonly path: string;
  constructor(path: string, issue: string) {
    super(issue);
    this.path = path;
  }
}

/** A document needs more work or memory than an evaluator spends. */
export class BoundError extends Error {
  override name = 'BoundError';
  /** The bound in words: `1,000,000 evaluations`. */
  readonly bound: string;
  constructor(bound: string) {
    super(`The document needs more than ${bound}.`);
    this.bound = bound;
  }
}
