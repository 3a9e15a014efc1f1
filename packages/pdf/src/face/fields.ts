export { type PdfWithFields, placeFields, type WantedField } from '../fields/place-fields.ts';
