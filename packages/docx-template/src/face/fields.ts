export { FIELD_TYPES } from '../fields/field-types.ts';
export type { ImagePlace } from '../fields/image-value.ts';
export {
  FIELDS_MAX,
  type FieldValue,
  type FieldValueInput,
  fieldValues,
  namesImage,
  type RequestedField,
  requestedFields,
} from '../fields.ts';
export { xmlTextOf } from '../xml-text.ts';
