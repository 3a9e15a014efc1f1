export { type NamedField, nameFields } from '../fields/name-fields.ts';
export { type PdfWithFields, placeFields, type WantedField } from '../fields/place-fields.ts';
export { type MarkedLink, placeLinks } from '../fields/place-links.ts';
