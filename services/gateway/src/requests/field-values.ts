import { type FieldValue, namesImage, type RequestedField } from '@scriptorium/docx-template/fields';
import type { LoadedImages, NamedImages } from './load-images.ts';

/** Returns the images that fields name. */
export function imagesOf(fields: RequestedField[]): NamedImages {
  const named: NamedImages = new Map();
  for (const [number, field] of fields.entries())
    if (namesImage(field) && field.value !== '') named.set(pathOf(number), field.value);
  return named;
}

const pathOf = (number: number): string => `fields[${number}].value`;

/** Returns the fields as a worker gets them: with the places of the loaded images, and without a group if there is an id. */
export function fieldValuesOf(fields: RequestedField[], places: LoadedImages['places']): FieldValue[] {
  return fields.map((field, number) => {
    const target = { group: field.id === undefined ? field.group : undefined };
    if (!namesImage(field)) return { ...field, ...target };
    if (field.value === '') return { ...field, ...target, value: null };
    const value = places.get(pathOf(number));
    if (value === undefined) throw new Error('an image was not loaded');
    return { ...field, ...target, value };
  });
}
