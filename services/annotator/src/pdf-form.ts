import { AppError, type ErrorDetail } from '@scriptorium/contracts/errors';
import type { GenerateReport, Generation } from '@scriptorium/docx-generate/generation';
import type { Inspection } from '@scriptorium/docx-generate/inspection';
import type { TemplateRow } from '@scriptorium/docx-generate/rows';
import { type Annotated, type AnnotateRequest, notFound } from '@scriptorium/docx-template/annotate';
import { UNMATCHED_NAMED_MAX } from '@scriptorium/docx-template/annotation';
import { type FieldValue, type ImagePlace, loadedImage } from '@scriptorium/docx-template/fields';
import { fieldsSchema, type TemplateField } from '@scriptorium/docx-template/inspect';
import { ImageRefusal, readPicture } from '@scriptorium/images/picture';
import {
  describeForm,
  FormError,
  type FormFieldFacts,
  type FormPicture,
  fillForm,
} from '@scriptorium/pdf/forms';
import { z } from 'zod';
import { type DataEntry, pathOf, readFormData } from './form-data.ts';
import { dataSchema } from './form-schema.ts';

const EXCERPT_CHARS_MAX = 10_000;

/**
 * Fills the fields of a PDF form. Rejects with AppError, which has the paths of the request, TemplateError and PdfError.
 */
export async function fillPdfForm({
  source,
  fields,
  images,
  password,
  options: { onMissing, flatten },
}: AnnotateRequest & Encrypted): Promise<Annotated> {
  const values = await valuesOf(fields, images);
  // A PDF has no groups.
  const entries = fields.map(({ id = '' }, at) => ({ name: id, value: values[at] ?? null }));
  const filling = {
    flatten,
    password,
    onUnmatched(missing: readonly number[]) {
      if (missing.length > 0 && onMissing === 'error') throw notFound(fields, missing);
    },
  };
  const { unmatched, ...made } = filled(source, entries, filling, (at, part) => `fields[${at}].${part}`);
  const report = {
    ...made.report,
    unmatched: { count: unmatched.length, fields: unmatched.slice(0, UNMATCHED_NAMED_MAX) },
    remaining: 0,
    templateRowGuessed: false,
  };
  return { ...made, report };
}

/**
 * The same with data, whose nested names are the names of fields. Fields without data stay as they are. Also throws
 * DATA_MISSING and DATA_UNUSED.
 */
export async function fillPdfFormWithData({
  source,
  data,
  images,
  password,
  options: { onMissing, onUnused },
}: DataOfForm): Promise<{ bytes: Buffer; report: DataReport }> {
  const { entries, unused, missing } = compared(describeForm(source, password), data);
  if (onMissing === 'error' && missing.length > 0)
    throw new AppError('DATA_MISSING', `The data lacks ${missing.length} fields of the form.`, {
      details: missing.slice(0, DETAILS_MAX).map((field) => ({ field, issue: 'is missing' })),
    });
  if (onUnused === 'error' && unused.count > 0)
    throw new AppError(
      'DATA_UNUSED',
      `The data has ${unused.count} properties that are not fields of the form.`,
      {
        details: unused.names.map((field) => ({ field, issue: 'is the name of no field' })),
      },
    );
  const pictures = new Pictures(images);
  const texts: FormEntry[] = [];
  for (const { field, value, at } of entries)
    texts.push({ name: field.name, value: await formValue(value, field, pictures, () => pathOf(at)) });
  const filling = { flatten: false, password, onUnmatched: () => undefined };
  const { report, bytes } = filled(source, texts, filling, (at) => {
    const entry = entries[at];
    return entry ? pathOf(entry.at) : 'data';
  });
  return { bytes, report: { ...report, unmatched: named(missing), unused } };
}

const named = (names: readonly string[]) => ({
  count: names.length,
  names: names.slice(0, UNMATCHED_NAMED_MAX),
});

/** The values of the data for a form, and the paths of what it lacks. Throws VALIDATION_ERROR for what no field takes. */
function compared(fields: readonly FormFieldFacts[], data: FormDataJson) {
  const { entries, unused, issues } = readFormData(data, fields);
  if (issues.length > 0) throw unsuitable(issues);
  const given = new Set(entries.map(({ field }) => field));
  const missing = fields
    .filter((field) => isFillable(field) && !given.has(field))
    .map(({ name }) => `data.${name}`);
  return { entries, unused, missing };
}

type FormDataJson = Parameters<typeof readFormData>[0];

/** Fills a form with the data or the fields of a row. Rejects as these do. */
export async function fillPdfFormWithRow(
  source: Buffer,
  row: TemplateRow,
  options: Generation,
): Promise<{ bytes: Buffer; report: DataReport }> {
  if ('data' in row) return await fillPdfFormWithData({ ...row, source, options });
  const onMissing = options.onMissing === 'error' ? 'error' : 'ignore';
  const { bytes, report } = await fillPdfForm({ ...row, source, options: { onMissing, flatten: false } });
  const { count, fields } = report.unmatched;
  return { bytes, report: { ...report, unmatched: { count, names: fields.map((at) => `fields[${at}]`) } } };
}

type DataReport = Omit<GenerateReport, 'runMs'>;

/** A PDF that may be encrypted. */
interface Encrypted {
  password?: string | undefined;
}

interface DataOfForm extends Encrypted {
  source: Buffer;
  data: FormDataJson;
  images: Buffer;
  options: Pick<Generation, 'onMissing' | 'onUnused'>;
}

const isFillable = ({ kind, isReadOnly }: FormFieldFacts): boolean =>
  kind !== 'signature' && kind !== 'button' && !isReadOnly;

const imageOfData = z.strictObject({ source: loadedImage, alt: z.string().nullish() });

/** A value of the data as the form takes it. */
async function formValue(
  value: DataEntry['value'],
  { kind }: FormFieldFacts,
  pictures: Pictures,
  path: () => string,
): Promise<string | FormPicture | null> {
  if (value === null) return kind === 'button' ? null : '';
  if (typeof value !== 'object') return String(value);
  const image = imageOfData.safeParse(value);
  if (!image.success)
    throw unsuitable([{ field: path(), issue: 'must have a `source` only: the button has a size' }]);
  const { source } = image.data;
  return source === null ? null : await pictures.at(source, `${path()}.$image.source`);
}

type FormEntry = Parameters<typeof fillForm>[1][number];

/** `pathOf` is the path in the request of a part of an entry. */
function filled(
  source: Buffer,
  entries: readonly FormEntry[],
  filling: Parameters<typeof fillForm>[2],
  pathOf: (entry: number, part: string) => string,
) {
  try {
    const { bytes, filled: count, unmatched, ...form } = fillForm(source, entries, filling);
    const contentRemoved = [
      ...(form.isXfaRemoved ? (['xfa'] as const) : []),
      ...(form.areRightsRemoved ? (['usage-rights'] as const) : []),
    ];
    const removed = {
      signaturesRemoved: false,
      macrosRemoved: false,
      linksRemoved: false,
      partsRemoved: false,
    };
    const report = { filled: count, ...removed, contentRemoved, scriptsSkipped: form.skipsScripts };
    return { bytes, unmatched, report };
  } catch (error) {
    throw error instanceof FormError ? publicError(error, pathOf) : error;
  }
}

const DETAILS_MAX = 100;

function publicError(
  { code, message, issues }: FormError,
  pathOf: (entry: number, part: string) => string,
): AppError {
  const details = issues
    .slice(0, DETAILS_MAX)
    .map(({ entry, part, issue }) => ({ field: pathOf(entry, part), issue }));
  return new AppError(code, message, details.length === 0 ? {} : { details });
}

const unsuitable = (details: ErrorDetail[]) =>
  new AppError('VALIDATION_ERROR', 'Some fields do not suit a PDF form.', {
    details: details.slice(0, DETAILS_MAX),
  });

/** The texts and pictures of fields. Rejects with all that no field of a PDF takes. */
async function valuesOf(
  fields: readonly FieldValue[],
  images: Buffer,
): Promise<(string | FormPicture | null)[]> {
  const details: ErrorDetail[] = [];
  const pictures = new Pictures(images);
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
    else values.push(await pictures.at(field.value, `fields[${at}].value`));
  }
  if (details.length > 0) throw unsuitable(details);
  return values;
}

/** The pictures of a request, each read once. */
class Pictures {
  readonly #images: Buffer;
  readonly #read = new Map<number, FormPicture>();

  constructor(images: Buffer) {
    this.#images = images;
  }

  /** Rejects with IMAGE_INVALID, which names the path. */
  async at({ start, bytes }: ImagePlace, path: string): Promise<FormPicture> {
    const known =
      this.#read.get(start) ?? (await pictureOf(this.#images.subarray(start, start + bytes), path));
    this.#read.set(start, known);
    return known;
  }
}

async function pictureOf(bytes: Buffer, path: string): Promise<FormPicture> {
  try {
    const { file, orientation } = await readPicture(bytes);
    return { bytes: file.bytes, ...orientation };
  } catch (error) {
    if (!(error instanceof ImageRefusal)) throw error;
    const issue = error.message;
    throw new AppError('IMAGE_INVALID', `The image ${issue}.`, { details: [{ field: path, issue }] });
  }
}

/**
 * The fields of a PDF form, and the schema of values that fill them. With data, also what it lacks and what no field takes.
 * Throws PdfError, and VALIDATION_ERROR for data that does not suit.
 */
export function inspectPdfForm(source: Buffer, data?: FormDataJson, password?: string): Inspection {
  const facts = describeForm(source, password);
  const fields = facts.map(templateField);
  const template = { syntaxes: [], tags: [], schema: dataSchema(facts) };
  const inspection = { fields, schema: fieldsSchema(fields), template };
  if (data === undefined) return inspection;
  const { missing, unused } = compared(facts, data);
  return { ...inspection, template: { ...template, data: { unmatched: named(missing), unused } } };
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
