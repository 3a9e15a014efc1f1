type FormErrorCode = 'VALIDATION_ERROR' | 'DOCUMENT_LOCKED' | 'UNPROCESSABLE';

/** What is wrong with one entry of a request, by its place in the list. */
export interface EntryIssue {
  entry: number;
  part: 'id' | 'type' | 'value';
  issue: string;
}

/** The reason why a form cannot be filled. `message` and `issues` are public. */
export class FormError extends Error {
  readonly code: FormErrorCode;
  readonly issues: readonly EntryIssue[];

  constructor(code: FormErrorCode, message: string, issues: readonly EntryIssue[] = []) {
    super(message);
    this.name = 'FormError';
    this.code = code;
    this.issues = issues;
  }
}
