import { fieldTypeOf } from './fields/field-types.ts';
import type { FieldValue } from './fields.ts';
import type { Placeholder } from './placeholders/placeholders.ts';
import type { Control } from './template/controls.ts';
import type { Template } from './template/template.ts';
import type { WordField } from './template/word-fields.ts';

/** The places to fill, with the index of the field that fills each. */
export interface Assignments {
  controls: ReadonlyMap<number, readonly Control[]>;
  placeholders: ReadonlyMap<number, readonly Placeholder[]>;
  wordFields: ReadonlyMap<number, readonly WordField[]>;
  /** Indexes of the fields that match nothing. */
  unmatched: number[];
}

/**
 * If two fields match one place, the later one fills it, so a group can be filled and one of its members overridden. An
 * id that no control has matches placeholders and fields of Word.
 */
export function assign(fields: readonly FieldValue[], template: Template): Assignments {
  const { index, placeholders } = template;
  const controlFields = new Map<Control, number>();
  const placeholderFields = new Map<Placeholder, number>();
  const wordFields = new Map<WordField, number>();
  const wordFieldsNamed = Map.groupBy(template.wordFields, ({ name }) => name);
  const unmatched: number[] = [];
  const lastOf = new Map(fields.map((field, number) => [targetOf(field), number]));
  for (const [number, field] of fields.entries()) {
    const { id, group } = field;
    const controls = id === undefined ? index.withGroup(group ?? '') : index.withId(id);
    const named = id === undefined || controls.length > 0 ? [] : placeholders.withName(id);
    const words = id === undefined || controls.length > 0 ? [] : (wordFieldsNamed.get(id) ?? []);
    if (controls.length + named.length + words.length === 0) unmatched.push(number);
    if (lastOf.get(targetOf(field)) !== number) continue;
    for (const control of controls) controlFields.set(control, number);
    for (const placeholder of named) placeholderFields.set(placeholder, number);
    for (const field of words) wordFields.set(field, number);
  }
  for (const [control, number] of mirrorsOf(controlFields, fields, template.controls))
    controlFields.set(control, number);
  return {
    controls: byNumber(controlFields),
    placeholders: byNumber(placeholderFields),
    wordFields: byNumber(wordFields),
    unmatched,
  };
}

function targetOf({ id, group }: FieldValue): string {
  return JSON.stringify(id === undefined ? { group } : { id });
}

function byNumber<Place>(fieldOf: ReadonlyMap<Place, number>): Map<number, Place[]> {
  const places = new Map<number, Place[]>();
  for (const [place, number] of fieldOf) {
    const known = places.get(number);
    if (known === undefined) places.set(number, [place]);
    else known.push(place);
  }
  return places;
}

/** Controls bound to the same data as a filled control. Readers show the same value in all of them. */
function mirrorsOf(
  fieldOf: ReadonlyMap<Control, number>,
  fields: readonly FieldValue[],
  controls: readonly Control[],
): [Control, number][] {
  const keyOf = ({ binding }: Control) => binding && JSON.stringify([binding.store, binding.xpath]);
  const filled = new Map<string, number>();
  for (const [control, number] of fieldOf) {
    const [key, field] = [keyOf(control), fields[number]];
    if (key !== undefined && field !== undefined && fieldTypeOf(field.type).isMirrored)
      filled.set(key, number);
  }
  if (filled.size === 0) return [];
  return controls.flatMap((control) => {
    const number = filled.get(keyOf(control) ?? '');
    return number === undefined || fieldOf.has(control) ? [] : [[control, number] as [Control, number]];
  });
}
