/** The caller asked for something that the document cannot get. `details` names the field. `message` is public. */
export class FinishError extends Error {
  readonly code = 'VALIDATION_ERROR';
  readonly details: { field: string; issue: string }[];

  constructor(field: string, issue: string) {
    super(`Invalid request: ${field} ${issue}.`);
    this.name = 'FinishError';
    this.details = [{ field, issue }];
  }
}
