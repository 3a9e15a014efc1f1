import { AppError, type ErrorDetail } from '@scriptorium/shared/errors';
import {
  type AnnotateReport,
  type Annotation,
  type Filling,
  UNMATCHED_NAMED_MAX,
} from '@scriptorium/shared/jobs/annotate';
import { Draft } from './draft.ts';
import { BoundData } from './fields/bound-data.ts';
import { prepareField } from './fields/field-types.ts';
import { flatten } from './flatten.ts';
import type { TemplateCache } from './template/cache.ts';
import type { Control } from './template/controls.ts';
import type { Template } from './template/template.ts';

export interface AnnotateRequest {
  source: Buffer;
  fields: readonly Filling[];
  /** The bytes that image values refer to. */
  images: Buffer;
  options: Annotation;
}

export interface Annotated {
  bytes: Buffer;
  report: Omit<AnnotateReport, 'runMs'>;
}

/**
 * Fills a template. A part without a filled field keeps its bytes; in the others only filled controls differ.
 *
 * Rejects with AppError, never with a half-filled document: what `openTemplate` throws, VALIDATION_ERROR,
 * IMAGE_INVALID, or FIELD_NOT_FOUND; their details name the fields.
 */
export async function annotate(request: AnnotateRequest, templates: TemplateCache): Promise<Annotated> {
  const template = await templates.open(request.source);
  const { assignments, unmatched } = assign(request.fields, template);
  if (unmatched.length > 0 && request.options.onMissing === 'error')
    throw notFound(request.fields, unmatched);
  const draft = new Draft(template, request.options.flatten);
  const bound = new BoundData(draft);
  for (const [index, controls] of assignments) {
    const field = request.fields[index];
    if (field === undefined) continue;
    const context = { draft, bound, images: request.images, path: `fields[${index}]` };
    const prepared = await prepareField(field, context);
    for (const control of controls) prepared.fillControl(control);
  }
  const filled = new Set([...assignments.values()].flat());
  if (draft.isFlattened) flatten(draft, filled);
  return {
    bytes: draft.build(),
    report: {
      filled: filled.size,
      unmatched: { count: unmatched.length, fields: unmatched.slice(0, UNMATCHED_NAMED_MAX) },
      signaturesRemoved: template.hasSignatures && draft.isChanged,
      macrosRemoved: template.hasMacros,
    },
  };
}

interface Assignments {
  /** Controls by the number of the field that fills them. */
  assignments: Map<number, Control[]>;
  /** Numbers of the fields that match nothing. */
  unmatched: number[];
}

/** Where two fields mean one control, the later one fills it: a group can be filled, and one of it otherwise. */
function assign(fields: readonly Filling[], { index, controls }: Template): Assignments {
  const fieldOf = new Map<Control, number>();
  const unmatched: number[] = [];
  for (const [number, { id, group }] of fields.entries()) {
    const found = id === undefined ? index.withGroup(group ?? '') : index.withId(id);
    if (found.length === 0) unmatched.push(number);
    for (const control of found) fieldOf.set(control, number);
  }
  for (const [control, number] of mirrorsOf(fieldOf, fields, controls)) fieldOf.set(control, number);
  const assignments = new Map<number, Control[]>();
  for (const [control, number] of fieldOf) {
    const known = assignments.get(number);
    if (known === undefined) assignments.set(number, [control]);
    else known.push(control);
  }
  return { assignments, unmatched };
}

/** Controls that are bound to the same data as one that is filled with text: readers show the same in all of them. */
function mirrorsOf(
  fieldOf: ReadonlyMap<Control, number>,
  fields: readonly Filling[],
  controls: readonly Control[],
): [Control, number][] {
  const keyOf = ({ binding }: Control) => binding && JSON.stringify([binding.store, binding.xpath]);
  const filled = new Map<string, number>();
  for (const [control, number] of fieldOf) {
    const key = keyOf(control);
    if (key !== undefined && fields[number]?.type === 'text') filled.set(key, number);
  }
  if (filled.size === 0) return [];
  return controls.flatMap((control) => {
    const number = filled.get(keyOf(control) ?? '');
    return number === undefined || fieldOf.has(control) ? [] : [[control, number] as [Control, number]];
  });
}

function notFound(fields: readonly Filling[], unmatched: readonly number[]): AppError {
  const details: ErrorDetail[] = unmatched.slice(0, UNMATCHED_NAMED_MAX).map((number) => {
    const { id, group } = fields[number] ?? {};
    const [key, name] = id === undefined ? ['group', group ?? ''] : ['id', id];
    return {
      field: `fields[${number}].${key}`,
      issue: `“${name.slice(0, 100)}” matches nothing in the template`,
    };
  });
  return new AppError('FIELD_NOT_FOUND', `${unmatched.length} fields match nothing in the template.`, {
    details,
  });
}
