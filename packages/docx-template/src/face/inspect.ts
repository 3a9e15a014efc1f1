export { fieldsSchema } from '../fields-schema.ts';
export { inspectFields } from '../inspect-fields.ts';
export { type TemplateField, templateField } from '../template-field.ts';
