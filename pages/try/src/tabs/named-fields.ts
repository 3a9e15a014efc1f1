import type { TemplateField } from '@scriptorium/client';

/**
 * Returns one field for each name, with the name as its `id`: the service fills all places of a name with one value. Places of
 * another type keep an id of their own.
 */
export function namedFields(places: readonly TemplateField[]): TemplateField[] {
  const found = new Map<string, TemplateField>();
  for (const place of places) {
    const id = place.names[0] ?? place.id;
    const first = found.get(id);
    if (first === undefined) found.set(id, { ...place, id });
    else if (first.type !== place.type) found.set(place.id, place);
  }
  return [...found.values()];
}
