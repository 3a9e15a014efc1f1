import { AppError, type ErrorDetail } from '@scriptorium/contracts/errors';
import type { Inspection } from '@scriptorium/docx-generate/inspection';
import { notFound } from '@scriptorium/docx-template/annotate';
import {
  type AnnotateReport,
  type Annotation,
  UNMATCHED_NAMED_MAX,
} from '@scriptorium/docx-template/annotation';
import type { FieldValue } from '@scriptorium/docx-template/fields';
import { fieldsSchema, type TemplateField } from '@scriptorium/docx-template/inspect';
import { describeForm, FormError, type FormFieldFacts, fillForm } from '@scriptorium/pdf/forms';

const EXCERPT_CHARS_MAX = 10_000;

/** Fills the fields of a PDF form. Throws AppError with the fields of the request, TemplateError and PdfError. */
export function fillPdfForm(
  source: Buffer,
  fields: readonly FieldValue[],
  { onMissing, flatten }: Annotation,
): { bytes: Buffer; report: Omit<AnnotateReport, 'runMs'> } {
  const texts = fields.map((field) => (field.type === 'text' ? field.value : undefined));
  const others = [...texts.keys()].filter((at) => texts[at] === undefined);
  if (others.length > 0)
    throw wrongFields(
      others.map((at) => ({ field: `fields[${at}].type`, issue: 'must be `text` for a PDF form' })),
    );
  // A PDF has no groups.
  const entries = fields.map(({ id = '' }, at) => ({ name: id, value: texts[at] ?? '' }));
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

const wrongFields = (details: ErrorDetail[]): AppError =>
  new AppError('VALIDATION_ERROR', 'Some fields do not suit the PDF form.', {
    details: details.slice(0, DETAILS_MAX),
  });

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
