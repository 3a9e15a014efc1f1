import type { FieldContext, PreparedField } from './field-type.ts';
import type { FieldValue } from './field-value.ts';
import { imageField } from './image-field.ts';
import { signatureField } from './signature-field.ts';
import { tableField } from './table-field.ts';
import { textField } from './text-field.ts';

/** Reads the value of a field by its type. */
export function prepareField(field: FieldValue, context: FieldContext): Promise<PreparedField> {
  switch (field.type) {
    case 'text':
      return textField.prepare(field, context);
    case 'table':
      return tableField.prepare(field, context);
    case 'image':
      return imageField.prepare(field, context);
    case 'signature':
      return signatureField.prepare(field, context);
  }
}
