import { generate as generateDocument } from '@scriptorium/docx-generate/generate';
import type { Generation } from '@scriptorium/docx-generate/generation';
import { inspect as inspectTemplate } from '@scriptorium/docx-generate/inspect';
import { type Linted, lint as lintTemplate } from '@scriptorium/docx-generate/lint';
import { annotate } from '@scriptorium/docx-template/annotate';
import type { AnnotateReport, Annotation } from '@scriptorium/docx-template/annotation';
import { fieldValues } from '@scriptorium/docx-template/fields';
import { TemplateCache } from '@scriptorium/docx-template/template';
import { setTextFont } from '@scriptorium/images/svg';
import { threadData } from '@scriptorium/shared/threads/thread';
import { type FormsResult, type FormsTask, fillForms as fillFormsOf } from './fill-forms.ts';
import { type DataReport, fillGroup, type GroupResult, type GroupTask } from './fill-group.ts';
import { withDocuments } from './insert-documents.ts';
import { fillPdfForm, fillPdfFormWithData, inspectPdfForm } from './pdf-form.ts';
import { warmUpData, warmUpFields } from './warm-up.ts';

/** The data of a new thread. */
export interface AnnotateThreadData {
  font: Uint8Array | undefined;
  templateCacheBytesMax: number;
  templateIdleMsMax?: number;
}

/** A template, and whose it is. */
interface TemplateRequest {
  source: Buffer;
  owner?: string | undefined;
  /** The password of an encrypted PDF form. */
  password?: string | undefined;
}

/** `data` is the JSON of any value, which is compared with the template. */
export interface InspectRequest extends TemplateRequest {
  data?: Buffer | undefined;
}

/** `fields` is the JSON of `fieldValues`. */
export interface FillRequest extends TemplateRequest {
  fields: Buffer;
  images: Buffer;
  options: Annotation;
}

/** `data` is the JSON of any value. */
export interface DataRequest extends TemplateRequest {
  data: Buffer;
  images: Buffer;
  options: Generation;
  /** The template is a PDF form. */
  isForm?: boolean | undefined;
}

export type FillReport = Omit<AnnotateReport, 'runMs'>;

/** Number of rounds after which the code of a thread is fully optimized. */
const WARM_UP_ROUNDS = 20;

const { font, templateCacheBytesMax, templateIdleMsMax } = threadData<AnnotateThreadData>();
const templates = new TemplateCache(templateCacheBytesMax, templateIdleMsMax);
setTextFont(font);

/** Fills documents, so that the code is compiled before the first request. */
export async function ready(): Promise<void> {
  for (let round = 0; round < WARM_UP_ROUNDS; round++) {
    await fill(warmUpFields());
    await generate(warmUpData());
  }
}

/** The cache may read templates later. */
export function keeps(input: { source?: Buffer }): unknown[] {
  return [input.source];
}

/** Rejects with the errors of `annotate`. */
export async function fill(request: FillRequest): Promise<{ bytes: Buffer; report: FillReport }> {
  const fields = fieldValues.parse(JSON.parse(request.fields.toString()));
  return await annotate({ ...request, fields }, templates.of(request.owner));
}

/** The same for a PDF form. Rejects with AppError and PdfError. */
export async function fillForm(request: FillRequest): Promise<{ bytes: Buffer; report: FillReport }> {
  const fields = fieldValues.parse(JSON.parse(request.fields.toString()));
  return await fillPdfForm({ ...request, fields });
}

/** Rejects with the errors of `generate` of the package, and for a PDF form as `fillForm`. */
export async function generate(request: DataRequest): Promise<{ bytes: Buffer; report: DataReport }> {
  const data = JSON.parse(request.data.toString());
  if (request.isForm) return await fillPdfFormWithData({ ...request, data });
  return await withDocuments(
    await generateDocument({ ...request, data }, templates.of(request.owner)),
    request.images,
  );
}

/** Returns the JSON of an `inspection`. Rejects with the errors of `inspect` of the package. */
export async function inspect({ source, owner, data }: InspectRequest): Promise<Buffer> {
  const given = data && JSON.parse(data.toString());
  return Buffer.from(JSON.stringify(await inspectTemplate(source, templates.of(owner), given)));
}

/** The same for a PDF form. Throws AppError and PdfError. */
export function inspectForm({ source, data, password }: InspectRequest): Buffer {
  const given = data && JSON.parse(data.toString());
  return Buffer.from(JSON.stringify(inspectPdfForm(source, given, password)));
}

/** Rejects with the errors of `lint` of the package. */
export async function lint({ source, owner, data }: InspectRequest): Promise<Linted> {
  return await lintTemplate(source, templates.of(owner), data && JSON.parse(data.toString()));
}

/** Fills the next rows of a pack. Rejects for faults of the thread; what is wrong with the template or a row is in the result. */
export async function fillRows(task: GroupTask): Promise<GroupResult> {
  return await fillGroup(task, templates);
}

/** Makes the forms of a pack. Rejects as `fillRows` does. */
export async function fillForms(task: FormsTask): Promise<FormsResult> {
  return await fillFormsOf(task, templates);
}
