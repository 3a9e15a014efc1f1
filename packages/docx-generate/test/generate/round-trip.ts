import { TemplateError } from '@scriptorium/docx-template/error';
import { TemplateCache } from '@scriptorium/docx-template/template';
import type { Json } from '@scriptorium/expressions/expression';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { generate } from '../../src/generate/generate.ts';
import type { Generation } from '../../src/generation.ts';
import { inspect } from '../../src/inspect.ts';
import type { Tag } from '../../src/template-tags.ts';
import { imagesOfData, valueIssues, withPlaces } from '../../src/values/data-files.ts';

const OPTIONS: Generation = {
  ...{ timeZone: 'UTC', currency: 'EUR', syntax: 'auto' },
  ...{ onMissing: 'error', onUnused: 'error' },
};

/**
 * Fills a template with the example of its own schema. Throws unless the example suits the schema, fills each mark and has
 * nothing else, or the template is refused as `inspect` says.
 */
export async function roundTrip(source: Buffer): Promise<void> {
  const { template } = await inspect(source, new TemplateCache(0).of());
  const { schema, example = {}, issues, tags } = template;
  if (issues !== undefined) {
    await expectRefusal(source, issues[0]?.issue ?? '');
    return;
  }
  const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(schema);
  if (!validate(example))
    throw new Error(`the schema refuses its example: ${JSON.stringify(validate.errors)}`);
  const wrong = valueIssues(example as Json);
  if (wrong.length > 0) throw new Error(`the example has wrong values: ${JSON.stringify(wrong)}`);
  const { bytes } = await filled(source, example as Json);
  const left = (await inspect(bytes, new TemplateCache(0).of())).template;
  const own = new Set(writtenIn(tags));
  const remaining = writtenIn(left.tags).filter((written) => own.has(written));
  if (remaining.length > 0) throw new Error(`the example leaves the marks ${remaining.join(', ')}`);
}

async function filled(source: Buffer, data: Json) {
  const places = new Map<string, { start: number; bytes: number }>();
  const images: Buffer[] = [];
  let start = 0;
  for (const [path, uri] of imagesOfData(data)) {
    const image = Buffer.from(uri.slice(uri.indexOf(',') + 1), 'base64');
    places.set(path, { start, bytes: image.length });
    images.push(image);
    start += image.length;
  }
  const request = { source, data: withPlaces(data, places), images: Buffer.concat(images), options: OPTIONS };
  try {
    return await generate(request, new TemplateCache(0).of());
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const details = JSON.stringify(error.details);
    throw new Error(`the example ${JSON.stringify(data)} is refused: ${error.code} ${details}`, {
      cause: error,
    });
  }
}

async function expectRefusal(source: Buffer, issue: string): Promise<void> {
  const request = { source, data: {}, images: Buffer.alloc(0), options: OPTIONS };
  const refused: unknown = await generate(request, new TemplateCache(0).of()).then(
    () => undefined,
    (error) => error,
  );
  const { message = '', details = [] } = (refused ?? {}) as Partial<TemplateError>;
  const said = [message, ...details.map((detail) => detail.issue)];
  if (!said.includes(issue)) throw new Error(`inspect says “${issue}”, and generate “${message}”`);
}

/** The marks that stay, since they are not places for signers. */
function writtenIn(tags: readonly Tag[]): string[] {
  return tags.flatMap(({ kind, written, tags: inner = [] }) => [
    ...(kind === 'signature' ? [] : [written]),
    ...writtenIn(inner),
  ]);
}
