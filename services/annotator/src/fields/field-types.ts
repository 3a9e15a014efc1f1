import type { Filling } from '@scriptorium/shared/jobs/annotate';
import type { FieldContext, PreparedField } from './field-type.ts';
import { tableField } from './table-field.ts';
import { textField } from './text-field.ts';

/** Reads the value of a field by its type. */
export function prepareField(field: Filling, context: FieldContext): Promise<PreparedField> {
  switch (field.type) {
    case 'text':
      return textField.prepare(field, context);
    case 'table':
      return tableField.prepare(field, context);
    default:
      throw new Error(`no field type ${field.type}`);
  }
}
