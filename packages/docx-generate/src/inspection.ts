import { templateField } from '@scriptorium/docx-template/inspect';
import { z } from 'zod';
import { generateReport } from './generation.ts';
import { templateTags } from './template-tags.ts';

export const inspection = z
  .strictObject({
    fields: z.array(templateField),
    schema: z
      .record(z.string(), z.unknown())
      .describe('JSON Schema (2020-12) of a `fields` value that fills this template'),
    template: templateTags.describe('The marks that `POST /v1/generate` fills'),
  })
  .meta({ id: 'TemplateReport' });
export type Inspection = z.infer<typeof inspection>;

const count = z.number().int().nonnegative();

/** What comments in a template are about, and what the template had that the commented one does not have. */
export const lintReport = generateReport
  .pick({
    signaturesRemoved: true,
    macrosRemoved: true,
    linksRemoved: true,
    partsRemoved: true,
    contentRemoved: true,
  })
  .extend({ mistakes: count, doubts: count });
export type LintReport = z.infer<typeof lintReport>;
