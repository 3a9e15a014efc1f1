import type { Control } from '../template/controls.ts';
import type { FieldContext, PreparedField } from './field-type.ts';
import { imageField } from './image-field.ts';
import { signatureField } from './signature-field.ts';
import { tableField } from './table-field.ts';
import { textField } from './text-field.ts';

/** Every field type. To add one: a file, and a line here. */
export const FIELD_TYPES = [textField, imageField, signatureField, tableField] as const;
export type FieldType = (typeof FIELD_TYPES)[number];
export type FieldTypeName = FieldType['type'];

const BY_NAME = new Map<string, FieldType>(FIELD_TYPES.map((fieldType) => [fieldType.type, fieldType]));

/** Throws if no type has this name. */
export function fieldTypeOf(name: string): FieldType {
  const found = BY_NAME.get(name);
  if (found === undefined) throw new Error(`unknown field type ${name}`);
  return found;
}

/** Reads the value of a field by its type. */
export function prepareField(
  field: { type: FieldTypeName; value: unknown; options: unknown },
  context: FieldContext,
): PreparedField | Promise<PreparedField> {
  const { prepare }: { prepare(value: unknown, context: FieldContext): ReturnType<typeof prepareField> } =
    fieldTypeOf(field.type);
  return prepare(field, context);
}

/** The type for a control: as the template declares, else by the kind of control, else the default. */
export function typeOf(control: Control, declared: string | undefined): FieldTypeName {
  const type =
    (declared === undefined ? undefined : FIELD_TYPES.find(({ declaredAs }) => declaredAs === declared)) ??
    FIELD_TYPES.find(({ suits }) => suits?.(control)) ??
    textField;
  return type.type;
}
