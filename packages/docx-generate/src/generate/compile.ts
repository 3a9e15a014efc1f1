import { TemplateError } from '@scriptorium/docx-template/error';
import type { Story, Template } from '@scriptorium/docx-template/template';
import type { XmlNode } from '@scriptorium/ooxml/xml';
import { DrawnCharts } from './chart-items.ts';
import { compileStory } from './compile-story.ts';
import { controlPlaces } from './control-items.ts';
import { LoopNotes } from './copied-notes.ts';
import type { DataShape } from './data-shape.ts';
import { dataUse } from './data-use.ts';
import { FlatParts } from './flat-parts.ts';
import type { FoundMark, MarkIssue, Syntax } from './instruction.ts';
import { CommentMarks } from './marks/comment-marks.ts';
import { type FoundMarks, findMarks } from './marks/find-marks.ts';
import { Places } from './place.ts';
import type { StoryProgram } from './program.ts';
import type { Range } from './ranges.ts';
import { around, spanOf } from './span.ts';
import { textItems } from './text-items.ts';

/** How the marks of a template are written. */
export interface Language {
  syntax: 'auto' | Syntax;
  delimiters?: readonly [string, string] | undefined;
}

/** A template compiled for one language. It depends on no data. */
export interface Program {
  stories: readonly (StoryProgram & { ranges: readonly Range[] })[];
  found: FoundMarks;
  notes: LoopNotes;
  /** A control without a value is missing one. */
  areControlsMarks: boolean;
  /** What its steps read in the data. */
  use: DataShape;
  /** Paragraph ids and control ids of the template, which copies must not repeat. */
  taken: ReadonlySet<string>;
}

const ISSUES_MAX = 100;
/** A caller who changes the delimiters again and again must not fill the memory. */
const PROGRAMS_MAX = 4;

/**
 * The compiled form of a template, kept with it. Throws MistakenMarks, or OoxmlError DOCUMENT_TOO_COMPLEX.
 */
export function compile(template: Template, language: Language): Program {
  const { derived } = template;
  const key = JSON.stringify([language.syntax, language.delimiters]);
  const known = derived.get(key) as Program | undefined;
  if (known !== undefined) return known;
  const program = compileNew(template, language);
  if (derived.size >= PROGRAMS_MAX) derived.clear();
  derived.set(key, program);
  return program;
}

function compileNew(template: Template, language: Language): Program {
  const comments = new CommentMarks(template);
  const found = findMarks(template.stories, language, comments);
  const issues: MarkIssue[] = [...found.issues];
  const byStory = new Map<Story, FoundMark[]>(template.stories.map((story) => [story, []]));
  for (const mark of found.marks) byStory.get(mark.story)?.push(mark);
  const notes = new LoopNotes();
  const flat = new FlatParts(template, found);
  const drawn = new DrawnCharts(template, found, flat);
  // The text that refers to notes comes before the notes.
  const inOrder = [...byStory].sort(([a], [b]) => Number(isNotes(a)) - Number(isNotes(b)));
  // Beside marks in the text, a control may be there for its own purpose.
  const areControlsMarks = found.syntaxes.every((syntax) => syntax === 'word');
  const filled = found.marks.map((mark) => spanOf(mark).first);
  const stories = inOrder.map(([story, marks]) => {
    const texts = textItems(story, found, issues);
    const controls = controlPlaces(story, template.controls, marks);
    if (areControlsMarks) filled.push(...controls.map(({ control }) => control.node));
    const charts = drawn.in(story, issues);
    return compileStory(story, { marks, texts, controls, charts }, { issues, notes });
  });
  const removed = comments.programs().map((program) => ({ ...program, ranges: [] }));
  const others = [...flat.programs(drawn.keys, issues), ...removed];
  issues.push(...staleFormulas(found, filled));
  if (issues.length > 0) throw new MistakenMarks(issues);
  const all = [...stories, ...others];
  const use = dataUse(all, notes, areControlsMarks);
  return { stories: all, found, notes, areControlsMarks, use, taken: takenIds(template) };
}

/** The formulas of tables that are filled. Their results would be those of the template. */
function staleFormulas({ formulas }: FoundMarks, filled: readonly XmlNode[]): MarkIssue[] {
  if (formulas.length === 0) return [];
  const tables = new Set(filled.map((node) => around(node, 'w:tbl')));
  tables.delete(undefined);
  return formulas.filter(({ node }) => tables.has(around(node, 'w:tbl')));
}

function isNotes({ place }: Story): boolean {
  return place === 'footnote' || place === 'endnote';
}

/** TEMPLATE_INVALID: the mistakes in the marks of a template. Its details name the first of them. */
export class MistakenMarks extends TemplateError {
  readonly issues: readonly MarkIssue[];

  constructor(issues: readonly MarkIssue[]) {
    const places = new Places();
    const details = issues.slice(0, ISSUES_MAX).map(({ story, node, written, issue }) => ({
      field: places.nameOf(story, node),
      issue: `${issue}: “${written}”`,
    }));
    const count = issues.length === 1 ? 'a mistake' : `${issues.length} mistakes`;
    super('TEMPLATE_INVALID', `The template has ${count} in its marks.`, { details });
    this.issues = issues;
  }
}

function takenIds({ stories, controls }: Template): Set<string> {
  const taken = new Set(controls.map(({ wordId }) => wordId ?? ''));
  for (const { xml } of stories)
    for (const [, id = ''] of xml.matchAll(/:paraId="(7[0-9A-Fa-f]{7})"/g)) taken.add(id.toUpperCase());
  return taken;
}
