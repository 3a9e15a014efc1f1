import type { Filling } from '@scriptorium/shared/jobs/annotate';
import type { RequestedField } from './field.ts';
import type { LoadedImages } from './load-images.ts';

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
