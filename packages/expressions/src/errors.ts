/** A mistake in the template. The message names it. */
export class ExpressionError extends Error {
  override name = 'ExpressionError';
}

/** A value of the data that an expression cannot use. */
export class DataError extends Error {
  override name = 'DataError';
  /** The place in the data, such as `data.items[3].price`. */
  readonly path: string;
  /** What is wrong with the value, without its place. */
  readonly issue: string;
  constructor(path: string, issue: string) {
    super(`${path}: ${issue}`);
    this.path = path;
    this.issue = issue;
  }
}

/** A document needs more work or memory than an evaluator spends. */
export class BoundError extends Error {
  override name = 'BoundError';
  /** The bound in words: `1,000,000 evaluations`. */
  readonly bound: string;
  constructor(bound: string) {
    super(`exceeds the bound of ${bound}`);
    this.bound = bound;
  }
}
