/** A mistake in an expression. The message says what is wrong: `The formatter “foo” is unknown`. */
export class ExpressionError extends Error {
  /** Whether the text cannot be meant as a name with unusual characters. */
  readonly isCertain: boolean;

  constructor(message: string, isCertain = false) {
    super(message);
    this.name = 'ExpressionError';
    this.isCertain = isCertain;
  }
}
