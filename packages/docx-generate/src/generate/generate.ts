import { type DocumentInsertion, PackageEditor } from '@scriptorium/docx-template/editor';
import { TemplateError } from '@scriptorium/docx-template/error';
import {
  ImageCache,
  type OwnTemplates,
  type Story,
  type Template,
} from '@scriptorium/docx-template/template';
import { type Bound, BoundError, Evaluator } from '@scriptorium/expressions/evaluate';
import type { Json } from '@scriptorium/expressions/expression';
import { OoxmlError } from '@scriptorium/ooxml/error';
import { applyEdits } from '@scriptorium/ooxml/xml';
import { type GenerateReport, type Generation, generation, UNMATCHED_NAMED_MAX } from '../generation.ts';
import { ValueResources } from '../values/resources.ts';
import { Charts } from './charts.ts';
import { compile, type Program } from './compile.ts';
import { CopiedNotes } from './copied-notes.ts';
import { Copies } from './copies.ts';
import { joinedTemplate } from './joined-paragraphs.ts';
import { languageOf } from './language.ts';
import { ANY_MARK, TABLE_ENDS } from './piece-marks.ts';
import { PlacedTexts } from './placed-texts.ts';
import { Renderer } from './render.ts';
import { RichValues } from './rich-values.ts';
import { type Findings, type Unfilled, ValueWriter } from './value-writer.ts';

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
  /** Documents that still have to take the place of paragraphs of this one. */
  insertions: readonly DocumentInsertion[];
}

/** Each pass finds resources that values of the pass before needed. HTML may hold images, images nothing more. */
const PASSES_MAX = 4;
const DATA = 'data';
const TABLE_END = /^\s*<\/w:tbl>/;
const TABLE_END_CHARS = 200;
/** Paths in the message of an error. Its details have more. */
const NAMED_MAX = 3;

/**
 * Fills a template with data. Parts without marks keep their bytes.
 *
 * Rejects with TemplateError and never returns a half-filled document. Codes are those of `openTemplate`, and TEMPLATE_INVALID
 * with every mistake in the template. DATA_MISSING, DATA_UNUSED, VALIDATION_ERROR and IMAGE_INVALID have paths in the data.
 *
 * @example
 * import { TemplateCache } from '@scriptorium/docx-template/template';
 * import { minimalDocx, openPackage } from '@scriptorium/ooxml/package';
 * const source = minimalDocx('<w:p><w:r><w:t>{#pens}{name}; {/pens}</w:t></w:r></w:p>');
 * const data = { pens: [{ name: 'red' }, { name: 'blue' }] };
 * const options = { timeZone: 'UTC', onMissing: 'error', onUnused: 'error', syntax: 'auto' };
 * const request = { source, data, images: Buffer.alloc(0), options };
 * const { bytes } = await generate(request, new TemplateCache(1_000_000).of('ada'));
 * (await openPackage(bytes)).main.xml.replace(/<[^>]*>/g, '').trim() // 'red; blue;'
 */
export async function generate(request: GenerateRequest, templates: OwnTemplates): Promise<Generated> {
  return await generateFrom(await joinedTemplate(await templates.open(request.source)), request);
}

/** The same for an opened template. */
export async function generateFrom(
  template: Template,
  request: Omit<GenerateRequest, 'source'>,
): Promise<Generated> {
  const program = compile(template, request.options);
  const resources = new ValueResources(new ImageCache(request.images));
  for (let pass = 0; pass < PASSES_MAX; pass++) {
    const { editor, findings } = render(template, program, request, resources);
    if (resources.isWaiting) {
      await resources.load();
      continue;
    }
    const unused = unusedIn(request.data, program);
    refuse(findings, unused, request.options);
    const { insertions } = editor;
    return { bytes: editor.build(), report: { ...reportOf(template, editor, findings), unused }, insertions };
  }
  throw new Error('the values of a document need ever more resources');
}

/** What data lacks of the values that a template needs, and what no mark reads of it. Values need not suit their marks. */
export function compared(
  template: Template,
  data: Json,
): { unmatched: Named; unused: Named; unfilled: readonly Unfilled[] } {
  const options = generation.parse({ onMissing: 'error' });
  const program = compile(template, options);
  const resources = new ValueResources(new ImageCache(Buffer.alloc(0)));
  const { missing, unfilled } = render(template, program, { data, options }, resources).findings;
  return {
    unmatched: namedOf(missing),
    unused: unusedIn(data, program),
    unfilled: [...unfilled.values()],
  };
}

function namedOf(names: ReadonlySet<string>): Named {
  return { count: names.size, names: [...names].slice(0, UNMATCHED_NAMED_MAX) };
}

/** A document whose texts were taken out. */
export interface PlacedDocument {
  /** What takes the place of each fragment of the program, with marks of places and pieces. Ended by zeros. */
  text: string;
  /** The texts of its places, in order. */
  texts: string[];
  report: Generated['report'];
}

/**
 * Does the same as `generateFrom`, but writes a mark in the place of each plain text: `nameOf` returns the mark of a place.
 * No text of the template may contain marks. Undefined if the document needs more than texts. Throws as `generate` rejects,
 * for mistakes in the data.
 */
export function generatePlaced(
  template: Template,
  request: Omit<GenerateRequest, 'source' | 'images'>,
  nameOf: (place: number) => string,
): PlacedDocument | undefined {
  // Whether the report names these depends on whether a value equals its mark.
  if (template.hasSignatures || template.hasLooseParts) return undefined;
  const program = compile(template, request.options);
  const resources = new ValueResources(new ImageCache(Buffer.alloc(0)));
  const places = new PlacedTexts(nameOf);
  const { editor, findings, written } = render(template, program, request, resources, places);
  if (places.hasOther || resources.isWaiting) return undefined;
  const unused = unusedIn(request.data, program);
  refuse(findings, unused, request.options);
  const text = written.join('\0');
  // The data may contain a mark, and what was marked may not be in the document.
  if ((text.match(ANY_MARK)?.length ?? 0) !== places.marks) return undefined;
  return { text, texts: places.texts, report: { ...reportOf(template, editor, findings), unused } };
}

/** The parts of a document from the text of a placed one, with their new text. */
export function storiesOf(
  template: Template,
  options: Generation,
  text: string,
): { editor: PackageEditor; stories: { story: Story; xml: string }[] } {
  const program = compile(template, options);
  const editor = new PackageEditor(template);
  const copies = new Copies(editor, new CopiedNotes(editor, program.notes), program.taken, undefined);
  const fragments = copies.resolved(text).replaceAll(TABLE_ENDS, '').split('\0');
  let at = 0;
  const stories = program.stories.map(({ story, fragments: own }) => {
    const edits = own.map(({ start, end }) => ({ start, end, text: fragments[at++] ?? '' }));
    return { story, xml: applyEdits(story.xml, edits) };
  });
  return { editor, stories };
}

/** Writes all parts. The result counts only if no resource was missing. */
function render(
  template: Template,
  program: Program,
  { data, options }: Omit<GenerateRequest, 'source' | 'images'>,
  resources: ValueResources,
  places?: PlacedTexts,
): { editor: PackageEditor; findings: Findings; written: string[] } {
  const editor = new PackageEditor(template);
  const { locale = languageOf(template), timeZone, currency, onMissing } = options;
  const evaluator = new Evaluator({ locale, timeZone, ...(currency !== undefined && { currency }) });
  const values = new RichValues(editor, resources, timeZone);
  const notes = new CopiedNotes(editor, program.notes);
  const copies = new Copies(editor, notes, program.taken, places);
  const { areControlsMarks } = program;
  const writer = new ValueWriter({ evaluator, editor, values, places }, { onMissing, areControlsMarks });
  const renderer = new Renderer(writer, copies, new Charts(editor, writer), places);
  const written: string[] = [];
  try {
    for (const { story, fragments } of program.stories) {
      const scope = { value: data, path: DATA, variables: new Map<string, Bound>() };
      for (const { start, end, ops } of fragments) {
        const text = renderer.render(ops, scope);
        written.push(TABLE_END.test(story.xml.slice(end, end + TABLE_END_CHARS)) ? text + TABLE_ENDS : text);
        if (text !== story.xml.slice(start, end)) editor.edit(story, { start, end, text });
      }
    }
  } catch (error) {
    if (error instanceof BoundError) throw new OoxmlError('DOCUMENT_TOO_COMPLEX', error.message);
    throw error;
  }
  return { editor, findings: writer.findings, written };
}

function refuse({ issues, missing }: Findings, unused: Named, { onMissing, onUnused }: Generation): void {
  if (issues.length > 0) {
    const named = issues.slice(0, NAMED_MAX).map(({ field }) => field);
    const others = issues.length - named.length;
    const list = named.join(', ') + (others > 0 ? ` and ${others} more` : '');
    throw new TemplateError('VALIDATION_ERROR', `The data cannot fill the template: ${list}.`, {
      details: issues,
    });
  }
  if (onMissing === 'error' && missing.size > 0) {
    const details = [...missing]
      .slice(0, UNMATCHED_NAMED_MAX)
      .map((field) => ({ field, issue: 'is missing' }));
    const lack = missing.size === 1 ? 'a value' : `${missing.size} values`;
    throw new TemplateError('DATA_MISSING', `The data lacks ${lack} that the template needs.`, { details });
  }
  if (onUnused !== 'error' || unused.count === 0) return;
  const details = unused.names.map((field) => ({ field, issue: 'is read by no mark of the template' }));
  const surplus = unused.count === 1 ? 'a property' : `${unused.count} properties`;
  throw new TemplateError('DATA_UNUSED', `The data has ${surplus} that no mark of the template reads.`, {
    details,
  });
}

type Named = NonNullable<GenerateReport['unused']>;

/** Each property once, also if all items of a list have it. */
function unusedIn(data: Json, { use }: Program): Named {
  const paths = new Map<string, string>();
  use.unusedIn(data, DATA, (path, pattern) => {
    if (!paths.has(pattern)) paths.set(pattern, path);
  });
  return { count: paths.size, names: [...paths.values()].slice(0, UNMATCHED_NAMED_MAX) };
}

function reportOf(
  template: Template,
  editor: PackageEditor,
  { filled, missing }: Findings,
): Generated['report'] {
  return {
    filled,
    unmatched: namedOf(missing),
    ...removedBy(template, editor),
  };
}

/** What the template has and the document does not have. */
export function removedBy(template: Template, editor: PackageEditor) {
  return {
    signaturesRemoved: template.hasSignatures && editor.isChanged,
    macrosRemoved: template.hasMacros,
    ...editor.removed,
    partsRemoved: template.hasLooseParts && editor.isChanged,
  };
}
