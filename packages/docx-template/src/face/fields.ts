export { choicesOf } from '../fields/choices.ts';
export { type Dimensions, dimensions } from '../fields/field-options.ts';
export { FIELD_TYPES } from '../fields/field-types.ts';
export { type ImagePlace, imagePlace, imageValue, loadedImage } from '../fields/image-value.ts';
export {
  FIELDS_MAX,
  type FieldValue,
  type FieldValueInput,
  fieldValues,
  namesImage,
  type RequestedField,
  requestedFields,
} from '../fields.ts';
export { valueText, valueTextIssue, xmlText, xmlTextOf } from '../xml-text.ts';
