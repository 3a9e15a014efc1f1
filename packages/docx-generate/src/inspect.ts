import { inspectFields } from '@scriptorium/docx-template/inspect';
import type { OwnTemplates } from '@scriptorium/docx-template/template';
import type { Json } from '@scriptorium/expressions/expression';
import { compared } from './generate/generate.ts';
import { joinedTemplate } from './generate/joined-paragraphs.ts';
import { tagsOf } from './generate/tag-tree.ts';
import type { Inspection } from './inspection.ts';

/**
 * The fields and marks of a template in document order, and their schemas. With data, also what it lacks and what no mark
 * reads of it. Rejects with the errors of `openTemplate`.
 *
 * @example
 * import { TemplateCache } from '@scriptorium/docx-template/template';
 * import { minimalDocx } from '@scriptorium/ooxml/package';
 * const source = minimalDocx('<w:p><w:r><w:t>{#pens}{name}{/pens}</w:t></w:r></w:p>');
 * const { template } = await inspect(source, new TemplateCache(1_000_000).of('ada'));
 * template.tags.map(({ written }) => written) // ['{#pens}']
 */
export async function inspect(source: Buffer, templates: OwnTemplates, data?: Json): Promise<Inspection> {
  const opened = await templates.open(source);
  const template = await joinedTemplate(opened);
  const tags = tagsOf(template);
  const fields = inspectFields(opened);
  if (data === undefined || tags.issues !== undefined) return { ...fields, template: tags };
  const { unmatched, unused } = compared(template, data);
  return { ...fields, template: { ...tags, data: { unmatched, unused } } };
}
