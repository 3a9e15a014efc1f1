import { tagsOf } from './generate/tag-tree.ts';
import { inspectFields } from './inspect-fields.ts';
import type { Inspection } from './inspection.ts';
import type { TemplateCache } from './template/cache.ts';

/** The fields and marks of a template in document order, and their schemas. Rejects with the errors of `openTemplate`. */
export async function inspect(source: Buffer, templates: TemplateCache): Promise<Inspection> {
  const template = await templates.open(source);
  return { ...inspectFields(template), template: tagsOf(template) };
}
