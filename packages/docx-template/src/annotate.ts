import { type AnnotateReport, type Annotation, UNMATCHED_NAMED_MAX } from './annotation.ts';
import { assign } from './assign.ts';
import { ImageCache } from './drawing/image-cache.ts';
import { BoundData } from './fields/bound-data.ts';
import { prepareField } from './fields/field-types.ts';
import type { FieldValue } from './fields.ts';
import { flatten } from './flatten.ts';
import { PackageEditor } from './package-editor.ts';
import { type Assignment, fillPlaceholders } from './placeholders/fill.ts';
import { type FieldAssignment, fillWordFields } from './placeholders/fill-word-fields.ts';
import type { OwnTemplates } from './template/cache.ts';
import type { Template } from './template/template.ts';
import { type FieldIssue, TemplateError } from './template-error.ts';

export interface AnnotateRequest {
  source: Buffer;
  fields: readonly FieldValue[];
  /** The bytes that image values refer to. */
  images: Buffer;
  options: Annotation;
}

export interface Annotated {
  bytes: Buffer;
  report: Omit<AnnotateReport, 'runMs'>;
}

/**
 * Fills a template. Parts without a filled field keep their bytes. In other parts, only filled controls and the runs of
 * filled placeholders change.
 *
 * Rejects with TemplateError and never returns a half-filled document: the errors of `openTemplate`, VALIDATION_ERROR,
 * IMAGE_INVALID, or FIELD_NOT_FOUND. The details name the fields.
 *
 * @example
 * import { fieldValues } from '@scriptorium/docx-template/fields';
 * import { TemplateCache } from '@scriptorium/docx-template/template';
 * import { minimalDocx, openPackage } from '@scriptorium/ooxml/package';
 * const source = minimalDocx('<w:p><w:r><w:t>Dear {name},</w:t></w:r></w:p>');
 * const fields = fieldValues.parse([{ id: 'name', type: 'text', value: 'Ada' }]);
 * const request = { source, fields, images: Buffer.alloc(0), options: { onMissing: 'error', flatten: false } };
 * const { bytes } = await annotate(request, new TemplateCache(1_000_000).of('ada'));
 * (await openPackage(bytes)).main.xml.replace(/<[^>]*>/g, '').trim() // 'Dear Ada,'
 */
export async function annotate(request: AnnotateRequest, templates: OwnTemplates): Promise<Annotated> {
  return annotateFrom(await templates.open(request.source), request);
}

/** The same for an opened template. */
export async function annotateFrom(
  template: Template,
  request: Omit<AnnotateRequest, 'source'>,
): Promise<Annotated> {
  const { controls, placeholders, wordFields, unmatched } = assign(request.fields, template);
  if (unmatched.length > 0 && request.options.onMissing === 'error')
    throw notFound(request.fields, unmatched);
  const editor = new PackageEditor(template, request.options.flatten);
  const bound = new BoundData(editor);
  const images = new ImageCache(request.images);
  const replaced: Assignment[] = [];
  const inFields: FieldAssignment[] = [];
  for (const [index, field] of request.fields.entries()) {
    const [own = [], named = []] = [controls.get(index), placeholders.get(index)];
    const words = wordFields.get(index) ?? [];
    if (own.length + named.length + words.length === 0) continue;
    const path = `fields[${index}]`;
    const prepared = await prepareField(field, { editor, bound, images, path });
    for (const control of own) prepared.fillControl(control);
    for (const placeholder of named) replaced.push({ placeholder, field: prepared, path });
    for (const wordField of words) inFields.push({ wordField, field: prepared, path });
  }
  // Placeholders in a control that is itself filled may be replaced with its content.
  const shown = replaced.filter(({ placeholder }) => !editor.replaced.hides(placeholder.pieces[0].text));
  fillPlaceholders(editor, shown);
  const shownFields = inFields.filter(({ wordField }) => !editor.replaced.hides(wordField.run));
  fillWordFields(editor, shownFields);
  const filled = new Set([...controls.values()].flat());
  if (editor.isFlattened) flatten(editor, filled);
  const texts = shown.map(({ placeholder }) => placeholder.pieces[0].text);
  const runs = shownFields.map(({ wordField }) => wordField.run);
  const places = [...[...filled].map(({ node }) => node), ...texts, ...runs];
  return {
    bytes: editor.build(),
    report: {
      filled: places.filter((place) => !editor.replaced.hides(place)).length,
      unmatched: { count: unmatched.length, fields: unmatched.slice(0, UNMATCHED_NAMED_MAX) },
      remaining: remainingIn(template, editor, shown),
      signaturesRemoved: template.hasSignatures && editor.isChanged,
      macrosRemoved: template.hasMacros,
      templateRowGuessed: editor.guessesRow,
      ...editor.removed,
      partsRemoved: template.hasLooseParts && editor.isChanged,
    },
  };
}

/** The number of marks that no field filled, and that no field replaced with the content around them. */
function remainingIn(template: Template, { replaced }: PackageEditor, shown: readonly Assignment[]): number {
  const filled = new Set(shown.map(({ placeholder }) => placeholder));
  const { all } = template.placeholders;
  return all.filter((mark) => !filled.has(mark) && !replaced.hides(mark.pieces[0].text)).length;
}

/** The error for entries that match nothing. */
export function notFound(fields: readonly FieldValue[], unmatched: readonly number[]): TemplateError {
  const details: FieldIssue[] = unmatched.slice(0, UNMATCHED_NAMED_MAX).map((number) => {
    const { id, group } = fields[number] ?? {};
    const [key, name] = id === undefined ? ['group', group ?? ''] : ['id', id];
    return {
      field: `fields[${number}].${key}`,
      issue: `“${name.slice(0, 100)}” matches nothing in the template`,
    };
  });
  return new TemplateError('FIELD_NOT_FOUND', `${unmatched.length} fields match nothing in the template.`, {
    details,
  });
}
