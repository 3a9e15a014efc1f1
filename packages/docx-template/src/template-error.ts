export type TemplateErrorCode =
  | 'VALIDATION_ERROR'
  | 'FIELD_NOT_FOUND'
  | 'IMAGE_INVALID'
  | 'TEMPLATE_INVALID'
  | 'DATA_MISSING'
  | 'DATA_UNUSED';

/** One invalid field. `field` is a path such as `fields[2].value`. */
export interface FieldIssue {
  field: string;
  issue: string;
}

/** The reason why filling failed. `details` names the fields. `message` is public; `cause` may quote the document. */
export class TemplateError extends Error {
  readonly code: TemplateErrorCode;
  readonly details: FieldIssue[] | undefined;

  constructor(
    code: TemplateErrorCode,
    message: string,
    options: { cause?: unknown; details?: FieldIssue[] } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'TemplateError';
    this.code = code;
    this.details = options.details;
  }
}
