import { TemplateError } from '@scriptorium/docx-template/error';
import { TemplateCache } from '@scriptorium/docx-template/template';
import type { Json } from '@scriptorium/expressions/expression';
import { openPackage } from '@scriptorium/ooxml/package';
import { templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { newFaultsOf } from '@scriptorium/testing/ooxml-validator/validate';
import { type Generated, generate } from '../../src/generate/generate.ts';
import type { Generation } from '../../src/generation.ts';
import { roundTrip } from './round-trip.ts';

const FAULTS_SHOWN = 5;
const DEFAULTS: Generation = { timeZone: 'UTC', onMissing: 'empty', onUnused: 'report', syntax: 'auto' };

export interface Filled extends Generated {
  /** The text of a part, by default of the main part. */
  xml(name?: string): string;
  /** The blocks that a part shows: paragraphs as text, rows as `|a|b|`. */
  shown(name?: string): string[];
}

/** Generates a document, and checks that it is as valid as its template, and that the example of its schema fills it, too. */
export async function generated(
  source: Buffer,
  data: Json,
  options: Partial<Generation> & { images?: Buffer } = {},
): Promise<Filled> {
  const { images = Buffer.alloc(0), ...own } = options;
  const result = await generate(
    { source, data, images, options: { ...DEFAULTS, ...own } },
    new TemplateCache(0).of(),
  );
  const faults = await newFaultsOf(source, result.bytes);
  if (faults.length > 0) throw new Error(`an invalid document: ${faults.slice(0, FAULTS_SHOWN).join('; ')}`);
  if (hasOwnLanguage(own)) await roundTrip(source);
  const document = await openPackage(result.bytes);
  const xml = (name = 'word/document.xml') => {
    const part = document.parts.get(name.toLowerCase());
    if (part?.xml === undefined) throw new Error(`the part ${name} is missing`);
    return part.xml;
  };
  return { ...result, xml, shown: (name) => shownIn(xml(name)) };
}

/** Generates a document whose template has this body. */
export function fromBody(
  body: string,
  data: Json,
  options?: Parameters<typeof generated>[2],
): Promise<Filled> {
  return generated(templateOf(body), data, options);
}

/** The error that a template or data cause. */
export async function refusal(
  body: string,
  data: Json,
  options?: Parameters<typeof generated>[2],
): Promise<TemplateError> {
  try {
    await fromBody(body, data, options);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    if (error.code === 'TEMPLATE_INVALID' && hasOwnLanguage(options)) await roundTrip(templateOf(body));
    return error;
  }
  throw new Error('the document was generated');
}

function hasOwnLanguage({ syntax, delimiters }: Partial<Generation> = {}): boolean {
  return syntax === undefined && delimiters === undefined;
}

export function shownIn(xml: string): string[] {
  const text = xml
    .replace(/<mc:Fallback>.*?<\/mc:Fallback>/gs, '')
    .replace(/<w:(?:instrText|del)\b.*?<\/w:(?:instrText|del)>/gs, '')
    .replace(/<w:tab\/>/g, '\t')
    .replace(/<w:br\/>/g, '\v')
    .replace(/<w:tr(?: [^>]*)?>/g, '\u0001')
    .replace(/<\/w:tr>/g, '|\n')
    .replace(/<w:tc(?: [^>]*)?>/g, '|')
    .replace(/<\/w:p><\/w:tc>|<w:p(?: [^>]*)?\/><\/w:tc>/g, '')
    .replace(/<w:p(?: [^>]*)?\/>|<\/w:p>/g, '\n')
    .replace(/<[^>]*>/g, '')
    .replaceAll('\u0001', '');
  const lines = text.split('\n').slice(0, -1);
  return lines.map((line) => line.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'));
}
