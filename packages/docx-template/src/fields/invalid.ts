import { TemplateError } from '../template-error.ts';

/** The error for a value that does not fit the template. `field` is a path such as `fields[2].value`. */
export function invalidField(field: string, issue: string): TemplateError {
  return new TemplateError(
    'VALIDATION_ERROR',
    `The value at ${field} does not fit the template: it ${issue}.`,
    {
      details: [{ field, issue }],
    },
  );
}
