import { AppError, type ErrorDetail } from '@scriptorium/contracts/errors';
import type { Inspection } from '@scriptorium/docx-generate/inspection';
import { type Annotated, type AnnotateRequest, notFound } from '@scriptorium/docx-template/annotate';
import { UNMATCHED_NAMED_MAX } from '@scriptorium/docx-template/annotation';
import type { FieldValue } from '@scriptorium/docx-template/fields';
import { fieldsSchema, type TemplateField } from '@scriptorium/docx-template/inspect';
import { ImageRefusal, readPicture } from '@scriptorium/images/picture';
import {
  describeForm,
  FormError,
  type FormFieldFacts,
  type FormPicture,
  fillForm,
} from '@scriptorium/pdf/forms';

const EXCERPT_CHARS_MAX = 10_000;

/**
 * Fills the fields of a PDF form. Rejects with AppError, which has the paths of the request, TemplateError and PdfError.
 */
export async function fillPdfForm({
  source,
  fields,
  images,
  options: { onMissing, flatten },
}: AnnotateRequest): Promise<Annotated> {
  const values = await valuesOf(fields, images);
  // A PDF has no groups.
  const entries = fields.map(({ id = '' }, at) => ({ name: id, value: values[at] ?? null }));
  try {
    const { bytes, filled, unmatched, ...form } = fillForm(source, entries, {
      flatten,
      onUnmatched(missing) {
        if (missing.length > 0 && onMissing === 'error') throw notFound(fields, missing);
      },
    });
    return {
      bytes,
      report: {
        filled,
        unmatched: { count: unmatched.length, fields: unmatched.slice(0, UNMATCHED_NAMED_MAX) },
        remaining: 0,
        signaturesRemoved: false,
        macrosRemoved: false,
        templateRowGuessed: false,
        linksRemoved: false,
        partsRemoved: false,
        contentRemoved: [
          ...(form.isXfaRemoved ? (['xfa'] as const) : []),
          ...(form.areRightsRemoved ? (['usage-rights'] as const) : []),
        ],
        scriptsSkipped: form.skipsScripts,
      },
    };
  } catch (error) {
    throw error instanceof FormError ? publicError(error) : error;
  }
}

const DETAILS_MAX = 100;

function publicError({ code, message, issues }: FormError): AppError {
  const details = issues
    .slice(0, DETAILS_MAX)
    .map(({ entry, part, issue }) => ({ field: `fields[${entry}].${part}`, issue }));
  return new AppError(code, message, details.length === 0 ? {} : { details });
}

/** The texts and pictures of fields. Rejects with all that no field of a PDF takes. */
async function valuesOf(
  fields: readonly FieldValue[],
  images: Buffer,
): Promise<(string | FormPicture | null)[]> {
  const details: ErrorDetail[] = [];
  const pictures = new Map<number, FormPicture>();
  const values: (string | FormPicture | null)[] = [];
  for (const [at, field] of fields.entries()) {
    if (field.type === 'text') values.push(field.value);
    else if (field.type !== 'image')
      details.push({ field: `fields[${at}].type`, issue: 'must be `text` or `image` for a PDF form' });
    else if (field.options.dimensions !== undefined)
      details.push({
        field: `fields[${at}].options.dimensions`,
        issue: 'is not for a PDF form: its button has a size',
      });
    else if (field.value === null) values.push(null);
    else {
      const { start, bytes } = field.value;
      const picture = pictures.get(start) ?? (await pictureOf(images.subarray(start, start + bytes), at));
      pictures.set(start, picture);
      values.push(picture);
    }
  }
  if (details.length > 0)
    throw new AppError('VALIDATION_ERROR', 'Some fields do not suit a PDF form.', {
      details: details.slice(0, DETAILS_MAX),
    });
  return values;
}

async function pictureOf(bytes: Buffer, at: number): Promise<FormPicture> {
  try {
    const { file, orientation } = await readPicture(bytes);
    return { bytes: file.bytes, ...orientation };
  } catch (error) {
    if (!(error instanceof ImageRefusal)) throw error;
    const issue = error.message;
    throw new AppError('IMAGE_INVALID', `The image ${issue}.`, {
      details: [{ field: `fields[${at}].value`, issue }],
    });
  }
}

/** The fields of a PDF form, and the schema of values that fill them. Throws PdfError. */
export function inspectPdfForm(source: Buffer): Inspection {
  const fields = describeForm(source).map(templateField);
  return { fields, schema: fieldsSchema(fields), template: { syntaxes: [], tags: [], schema: {} } };
}

const TYPES: Readonly<Partial<Record<FormFieldFacts['kind'], TemplateField['type']>>> = {
  button: 'image',
  signature: 'signature',
};

function templateField(facts: FormFieldFacts): TemplateField {
  const { name, kind, label, place, choices, maxLength } = facts;
  return {
    id: name,
    names: [name],
    count: facts.count,
    type: TYPES[kind] ?? 'text',
    ...(label !== undefined && { label }),
    location: place ?? {},
    current: facts.current.slice(0, EXCERPT_CHARS_MAX).toWellFormed(),
    options: {
      control: kind === 'text' ? 'plain text' : kind,
      ...(choices && { choices }),
      ...(maxLength !== undefined && { maxLength }),
      ...((facts.isMultiline || facts.isMultiSelect) && { isMultiline: true }),
      ...(facts.isReadOnly && { isReadOnly: true }),
    },
  };
}
