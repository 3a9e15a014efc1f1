import { openPackage } from '@scriptorium/ooxml/package';
import { newFaultsOf } from '@scriptorium/testing/ooxml-validator/validate';
import { type Annotated, annotate } from '../src/annotate.ts';
import type { Annotation } from '../src/annotation.ts';
import { fieldTypeOf } from '../src/fields/field-types.ts';
import type { FieldValue, FieldValueInput } from '../src/fields.ts';
import { inspectFields } from '../src/inspect-fields.ts';
import { TemplateCache } from '../src/template/cache.ts';
import { openTemplate } from '../src/template/template.ts';

const FAULTS_SHOWN = 5;
/** Larger documents are for timing, and validation would dominate their time. */
const JUDGED_CHARS_MAX = 500_000;
const NO_CACHE = new TemplateCache(0).of();

export function text(
  target: { id: string } | { group: string },
  value: string,
  keepTextNodeStyles = true,
): FieldValueInput {
  return { ...target, type: 'text', value, options: { keepTextNodeStyles } };
}

export interface Filled extends Annotated {
  /** The text of a part, by default of the main part. */
  xml(name?: string): string;
}

/** The fields of a template, and their schema. */
export const inspected = async (source: Buffer) => inspectFields(await openTemplate(source));

async function refuseFaults(source: Buffer, filled: Buffer): Promise<void> {
  const faults = await newFaultsOf(source, filled);
  if (faults.length > 0)
    throw new Error(`filling produced an invalid document: ${faults.slice(0, FAULTS_SHOWN).join('; ')}`);
}

/** Adds the default options. Values may exceed the bounds of a request. */
function withOptions(field: FieldValueInput): FieldValue {
  return { ...field, options: fieldTypeOf(field.type).options.parse(field.options) } as FieldValue;
}

/** Fills a template, validates the result against the schema, and opens it again. */
export async function fill(
  source: Buffer,
  fields: readonly FieldValueInput[],
  { images = Buffer.alloc(0), ...options }: Partial<Annotation> & { images?: Buffer } = {},
  templates = NO_CACHE,
): Promise<Filled> {
  const request = {
    source,
    fields: fields.map(withOptions),
    images,
    options: { onMissing: 'ignore', flatten: false, ...options },
  } as const;
  const annotated = await annotate(request, templates);
  const document = await openPackage(annotated.bytes);
  if ((document.main.xml?.length ?? 0) < JUDGED_CHARS_MAX) await refuseFaults(source, annotated.bytes);
  const xml = (name = 'word/document.xml') => {
    const part = document.parts.get(name.toLowerCase());
    if (part?.xml === undefined) throw new Error(`the part ${name} is missing`);
    return part.xml;
  };
  return { ...annotated, xml };
}
