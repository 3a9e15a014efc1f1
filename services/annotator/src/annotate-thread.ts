import { annotate, TemplateCache } from '@scriptorium/docx-template/annotate';
import type { AnnotateReport, Annotation } from '@scriptorium/docx-template/annotation';
import { fieldValues } from '@scriptorium/docx-template/fields';
import { generate } from '@scriptorium/docx-template/generate';
import type { Generation } from '@scriptorium/docx-template/generation';
import { inspect } from '@scriptorium/docx-template/inspect';
import { setTextFont } from '@scriptorium/images/svg';
import { answerRequests, asBuffer, threadData } from '@scriptorium/shared/threads/thread';
import { type DataReport, fillGroup, type GroupResult, type GroupTask } from './fill-group.ts';
import { withDocuments } from './insert-documents.ts';

/** A task of a thread that has one result. `fields` is the JSON of `fieldValues`, `data` that of any value. */
export type SingleTask =
  | { kind: 'annotate'; source: Uint8Array; fields: Uint8Array; images: Uint8Array; options: Annotation }
  | { kind: 'generate'; source: Uint8Array; data: Uint8Array; images: Uint8Array; options: Generation }
  | { kind: 'inspect'; source: Uint8Array };

export type AnnotateTask = SingleTask | GroupTask;

export type FillReport = Omit<AnnotateReport, 'runMs'>;

/** The filled document with its report, or the JSON of an `inspection`. */
export interface TaskResult {
  bytes: Uint8Array;
  report?: FillReport | DataReport;
}

/** The data of a new thread. */
export interface AnnotateThreadData {
  font: Uint8Array | undefined;
  templateCacheBytesMax: number;
  templateIdleMsMax?: number;
}

const { font, templateCacheBytesMax, templateIdleMsMax } = threadData<AnnotateThreadData>();
const templates = new TemplateCache(templateCacheBytesMax, templateIdleMsMax);

async function workOn(task: SingleTask): Promise<TaskResult> {
  const source = asBuffer(task.source);
  if (task.kind === 'inspect')
    return { bytes: Buffer.from(JSON.stringify(await inspect(source, templates))) };
  const images = asBuffer(task.images);
  if (task.kind === 'generate') {
    const data = JSON.parse(asBuffer(task.data).toString());
    return await withDocuments(
      await generate({ source, data, images, options: task.options }, templates),
      images,
    );
  }
  const fields = fieldValues.parse(JSON.parse(asBuffer(task.fields).toString()));
  return await annotate({ source, fields, images, options: task.options }, templates);
}

setTextFont(font);
answerRequests(
  async (task: AnnotateTask): Promise<TaskResult | GroupResult> =>
    task.kind === 'rows' ? await fillGroup(task, templates) : await workOn(task),
  (result) => ('bytes' in result ? result.bytes : new Uint8Array()),
  // The cache of templates may read them later.
  (task) => ('source' in task ? [task.source] : []),
);
