import { TemplateError } from '../template-error.ts';

/** The refusal of a value that does not suit the template. `field` is a path such as `fields[2].value`. */
export function invalidField(field: string, issue: string): TemplateError {
  return new TemplateError(
    'VALIDATION_ERROR',
    `The request does not suit the template at ${field}: it ${issue}.`,
    {
      details: [{ field, issue }],
    },
  );
}
