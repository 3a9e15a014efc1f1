import { openPackage } from '@scriptorium/ooxml/package';
import { newFaultsOf } from '@scriptorium/testing/ooxml-validator/validate';
import { type Annotated, annotate } from '../src/annotate.ts';
import type { Annotation } from '../src/annotation.ts';
import { fieldTypeOf } from '../src/fields/field-types.ts';
import type { FieldValue, FieldValueInput } from '../src/fields.ts';
import { TemplateCache } from '../src/template/cache.ts';

const FAULTS_SHOWN = 5;
/** In larger documents, which are there to be timed, looking for faults would be what takes the time. */
const JUDGED_CHARS_MAX = 500_000;
export const NO_CACHE = new TemplateCache(0);

export function text(
  target: { id: string } | { group: string },
  value: string,
  keepTextNodeStyles = true,
): FieldValueInput {
  return { ...target, type: 'text', value, options: { keepTextNodeStyles } };
}

export interface Filled extends Annotated {
  /** The text of a part; of the main part by default. */
  xml(name?: string): string;
}

async function refuseFaults(source: Buffer, filled: Buffer): Promise<void> {
  const faults = await newFaultsOf(source, filled);
  if (faults.length > 0) throw new Error(`filling made faults: ${faults.slice(0, FAULTS_SHOWN).join('; ')}`);
}

/** With the options that a caller left out. Values may be beyond what a request can hold. */
function withOptions(field: FieldValueInput): FieldValue {
  return { ...field, options: fieldTypeOf(field.type).options.parse(field.options) } as FieldValue;
}

/** Fills a template, holds the result to what a schema asks, and opens it again. */
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
    if (part?.xml === undefined) throw new Error(`there is no ${name}`);
    return part.xml;
  };
  return { ...annotated, xml };
}
