/** A value of the data that does not suit the template. `message` continues its path: `must be a number`. */
export class DataError extends Error {
  /** The place in the request: `data.items[3].price`. */
  readonly path: string;

  constructor(path: string, issue: string) {
    super(issue);
    this.name = 'DataError';
    this.path = path;
  }
}

/** A bound that a document exceeds. The message names it. */
export class BoundError extends Error {}
