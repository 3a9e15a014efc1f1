import { inspectFields } from '@scriptorium/docx-template/inspect';
import type { OwnTemplates } from '@scriptorium/docx-template/template';
import { tagsOf } from './generate/tag-tree.ts';
import type { Inspection } from './inspection.ts';

/** The fields and marks of a template in document order, and their schemas. Rejects with the errors of `openTemplate`. */
export async function inspect(source: Buffer, templates: OwnTemplates): Promise<Inspection> {
  const template = await templates.open(source);
  return { ...inspectFields(template), template: tagsOf(template) };
}
