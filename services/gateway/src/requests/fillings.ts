import type { Filling } from '@scriptorium/shared/jobs/annotate';
import type { RequestedField } from './field.ts';
import type { LoadedImages, NamedImages } from './load-images.ts';

/** The images that fields name. */
export function imagesOf(fields: RequestedField[]): NamedImages {
  const users: NamedImages = new Map();
  for (const [index, field] of fields.entries()) {
    if (field.type !== 'image' && field.type !== 'signature') continue;
    const paths = users.get(field.value) ?? [];
    users.set(field.value, paths);
    paths.push(`fields[${index}].value`);
  }
  return users;
}

/** The fields as a worker gets them: images by their place among the loaded ones, and no group beside an id. */
export function fillingsOf(fields: RequestedField[], places: LoadedImages['places']): Filling[] {
  return fields.map((field) => {
    const target = { group: field.id === undefined ? field.group : undefined };
    if (field.type !== 'image' && field.type !== 'signature') return { ...field, ...target };
    const value = places.get(field.value);
    if (value === undefined) throw new Error('an image was not loaded');
    return { ...field, ...target, value };
  });
}
