import { hash } from 'node:crypto';
import { BoundError, Evaluator, type Scope } from '@scriptorium/expressions/evaluate';
import type { Json } from '@scriptorium/expressions/expression';
import { OoxmlError } from '@scriptorium/ooxml/error';
import { ImageCache } from '../drawing/image-cache.ts';
import { type GenerateReport, type Generation, UNMATCHED_NAMED_MAX } from '../generation.ts';
import { PackageEditor } from '../package-editor.ts';
import type { TemplateCache } from '../template/cache.ts';
import type { Template } from '../template/template.ts';
import { TemplateError } from '../template-error.ts';
import { ValueResources } from '../values/resources.ts';
import { Charts } from './charts.ts';
import { compile, type Program } from './compile.ts';
import { CopiedNotes } from './copied-notes.ts';
import { Copies } from './copies.ts';
import { languageOf } from './language.ts';
import { PlacedTexts } from './placed-texts.ts';
import { Renderer } from './render.ts';
import { RichValues } from './rich-values.ts';
import { type Findings, ValueWriter, type Writing } from './value-writer.ts';

export interface GenerateRequest {
  source: Buffer;
  data: Json;
  /** The bytes to which images in the data refer. */
  images: Buffer;
  options: Generation;
}

export interface Generated {
  bytes: Buffer;
  report: Omit<GenerateReport, 'runMs'>;
}

/** Each pass finds resources that values of the pass before needed. HTML may hold images, images nothing more. */
const PASSES_MAX = 4;
const DATA = 'data';
/** Paths in the message of an error. Its details have more. */
const NAMED_MAX = 3;

/**
 * Fills a template with data. Parts without marks keep their bytes.
 *
 * Rejects with TemplateError and never returns a half-filled document: the errors of `openTemplate`, TEMPLATE_INVALID
 * with every mistake in the template, DATA_MISSING, VALIDATION_ERROR or IMAGE_INVALID with paths in the data.
 */
export async function generate(request: GenerateRequest, templates: TemplateCache): Promise<Generated> {
  const template = await templates.open(request.source);
  return generateFrom(template, compile(template, request.options), request);
}

/** The same for an opened and compiled template. */
export async function generateFrom(
  template: Template,
  program: Program,
  request: Omit<GenerateRequest, 'source'>,
): Promise<Generated> {
  const resources = new ValueResources(new ImageCache(request.images));
  for (let pass = 0; pass < PASSES_MAX; pass++) {
    const { editor, findings } = render(template, program, request, resources);
    if (resources.isWaiting) {
      await resources.load();
      continue;
    }
    refuse(findings, request.options);
    return { bytes: editor.build(), report: reportOf(template, editor.isChanged, findings) };
  }
  throw new Error('the values of a document need ever more resources');
}

/** A document whose texts were taken out: the same form may serve for other data. */
export interface PlacedDocument {
  /** Equal for equal forms of one template. */
  key: string;
  /** The texts of its places, in order. */
  texts: string[];
  report: Generated['report'];
  /** Writes the form: a document with a mark in each place. */
  build(): Buffer;
}

/**
 * Does the same as `generate`, but writes a mark in the place of each plain text: `nameOf` returns the mark of a place.
 * Undefined if the document needs more than texts, or if the marks could be confused with the template. Rejects as
 * `generate` does for mistakes in the data.
 */
export async function generatePlaced(
  request: Omit<GenerateRequest, 'images'>,
  templates: TemplateCache,
  nameOf: (place: number) => string,
): Promise<PlacedDocument | undefined> {
  const template = await templates.open(request.source);
  const { syntax, delimiters } = request.options;
  const program = compile(template, { syntax, delimiters });
  const [markStart = ''] = nameOf(0);
  if (template.stories.some(({ xml }) => xml.includes(markStart))) return undefined;
  const resources = new ValueResources(new ImageCache(Buffer.alloc(0)));
  const places = new PlacedTexts(nameOf);
  const { editor, findings, written } = render(template, program, request, resources, places);
  if (places.hasOther || resources.isWaiting) return undefined;
  refuse(findings, request.options);
  const report = reportOf(template, editor.isChanged, findings);
  return {
    key: hash('sha256', written.join('\0')),
    texts: places.texts,
    report,
    build: () => editor.build(),
  };
}

/** Writes all parts. The result counts only if no resource was missing. */
function render(
  template: Template,
  program: Program,
  { data, options }: Pick<GenerateRequest, 'data' | 'options'>,
  resources: ValueResources,
  places?: PlacedTexts,
): { editor: PackageEditor; findings: Findings; written: string[] } {
  const editor = new PackageEditor(template);
  const evaluator = evaluatorFor(options, options.locale ?? languageOf(template));
  const values = new RichValues(editor, resources);
  const notes = new CopiedNotes(editor, program.notes);
  const copies = new Copies(editor, notes, program.taken);
  const writer = new ValueWriter({ evaluator, editor, values, places }, writingOf(program, options));
  const renderer = new Renderer(writer, copies, new Charts(editor, writer));
  const scope = scopeOf(data);
  const written: string[] = [];
  try {
    for (const { story, fragments } of program.stories)
      for (const { start, end, ops } of fragments) {
        const text = renderer.render(ops, scope);
        written.push(text);
        if (text !== story.xml.slice(start, end)) editor.edit(story, { start, end, text });
      }
  } catch (error) {
    if (error instanceof BoundError) throw new OoxmlError('DOCUMENT_TOO_COMPLEX', error.message);
    throw error;
  }
  return { editor, findings: writer.findings, written };
}

export function evaluatorFor({ timeZone, currency }: Generation, locale: string): Evaluator {
  return new Evaluator({ locale, timeZone, ...(currency !== undefined && { currency }) });
}

/** How the values of a template are written. */
export function writingOf({ found }: Program, { onMissing }: Generation): Writing {
  // Beside marks in the text, a control may be there for its own purpose.
  const areControlsMarks = found.syntaxes.every((syntax) => syntax === 'word');
  return { keepsMissing: onMissing === 'keep', areControlsMarks };
}

/** The outermost scope. */
export function scopeOf(data: Json): Scope {
  return { value: data, path: DATA };
}

function refuse({ issues, missing }: Findings, { onMissing }: Generation): void {
  if (issues.length > 0) {
    const named = issues.slice(0, NAMED_MAX).map(({ field }) => field);
    const others = issues.length - named.length;
    const list = named.join(', ') + (others > 0 ? ` and ${others} more` : '');
    throw new TemplateError('VALIDATION_ERROR', `The data cannot fill the template: ${list}.`, {
      details: issues,
    });
  }
  if (onMissing !== 'error' || missing.size === 0) return;
  const details = [...missing].slice(0, UNMATCHED_NAMED_MAX).map((field) => ({ field, issue: 'is missing' }));
  throw new TemplateError('DATA_MISSING', `The data lacks ${missing.size} values that the template needs.`, {
    details,
  });
}

export function reportOf(
  template: Template,
  isChanged: boolean,
  { filled, missing }: Findings,
): Generated['report'] {
  return {
    filled,
    unmatched: { count: missing.size, names: [...missing].slice(0, UNMATCHED_NAMED_MAX) },
    signaturesRemoved: template.hasSignatures && isChanged,
    macrosRemoved: template.hasMacros,
    linksRemoved: template.hasLostLinks,
    partsRemoved: template.hasLooseParts && isChanged,
  };
}
