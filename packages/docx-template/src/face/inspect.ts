export { fieldsSchema } from '../fields-schema.ts';
export { inspect } from '../inspect.ts';
