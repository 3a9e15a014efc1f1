import { templateField } from '@scriptorium/docx-template/inspect';
import { z } from 'zod';
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
