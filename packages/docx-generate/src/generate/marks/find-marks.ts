import type { Story } from '@scriptorium/docx-template/template';
import { textGroupsOf } from '@scriptorium/docx-template/template';
import { BOUNDS, boundPassed } from '@scriptorium/ooxml/bounds';
import { ancestorsOf, type XmlNode } from '@scriptorium/ooxml/xml';
import type { Tag } from '../dialects/dialect.ts';
import type { TextSyntax } from '../dialects/dialects.ts';
import type { FoundMark, MarkIssue, Syntax, TextPart } from '../instruction.ts';
import { around, spanOf } from '../span.ts';
import type { CommentMarks } from './comment-marks.ts';
import type { Decision } from './decision.ts';
import { type FieldMarks, fieldMarksOf } from './field-marks.ts';
import { CARBONE, isValue } from './forms.ts';
import { GroupText } from './group-text.ts';
import { type Lexeme, shownAround } from './lexer.ts';
import { readAll, tagOf } from './mark-tags.ts';
import { readText } from './read-text.ts';
import { rowMarksOf } from './row-marks.ts';
import { type Extent, trimmedExtent } from './trim.ts';
import { type LanguageOptions, Usage } from './usage.ts';

/** The marks of a template with their meaning, and its mistakes. */
export interface FoundMarks {
  /** Story by story, in document order. */
  marks: readonly FoundMark[];
  /** The languages that the template uses, in the order of their first marks. */
  syntaxes: Syntax[];
  issues: readonly MarkIssue[];
  /** Fields that compute from the cells of their tables. */
  formulas: readonly MarkIssue[];
  /** Reads a text without runs by the languages of the template. A text without marks is one part. */
  readText(text: string): TextPart[];
}

const WRITTEN_CHARS_MAX = 200;
/** What begins a directive of Velocity, FreeMarker, ERB, JSP, YARG, MiniWord, Aspose, Docmosis or OpenTBS. */
const FOREIGN =
  /#(?:foreach|if|elseif|set)\s*\(\s*[$!(]|\[#(?:list|if|assign)\s|<#(?:list|if|assign)\s|<%[=#-]?(?:\s|[\p{L}_])|##band=\w|@if\([^(),]{1,200},|<<\/?(?:foreach|if)[ >]|<<\[[^<>]{1,200}\]>>|<<[rc]s_\w|\[[\w.]{1,200};block=|\[on(?:show|load)[.;]/gu;
/** Marks of languages that are not read, but with delimiters of the caller. In a template with other marks they are text. */
const OTHER = /\[\[\s*[\p{L}_][\p{L}\p{N}_.]*(?:\s*\]|\]:[^[\]]{1,100}\])|<<\s*[\p{L}_][\p{L}\p{N}_.]*\s*>>/u;
const HALF = 'Unclosed tag (a mark must not be partly in a control, a field or another paragraph)';
const HALF_MARK = /^\{\{?([^{}]*)\}/;
const HALF_SIGN = /^\s*[#/^%~@?]/;
const HALF_CHARS_MAX = 500;

/**
 * Finds the marks of a template. With the syntax `auto`, what the template uses as a whole decides on the language of
 * each mark. Throws OoxmlError DOCUMENT_TOO_COMPLEX if there are very many.
 */
export function findMarks(
  stories: readonly Story[],
  options: LanguageOptions,
  comments: CommentMarks,
): FoundMarks {
  const finder = new MarkFinder(options, comments);
  const pages = stories.map((story) => finder.survey(story));
  for (const page of pages) finder.find(page);
  return finder.result();
}

/** A story with its texts. */
interface Page {
  story: Story;
  texts: readonly GroupText[];
  fields: FieldMarks;
}

/** A mark of text whose meaning is not read yet. */
interface Candidate {
  story: Story;
  text: GroupText;
  extent: Extent;
  written: string;
  syntax: TextSyntax;
  tag: Tag;
}

const NO_FIELDS: FieldMarks = { marks: [], issues: [], nodes: new Set(), formulas: [] };

class MarkFinder {
  readonly #options: LanguageOptions;
  readonly #usage: Usage;
  /** Undefined if the caller names a language without them. */
  readonly #comments: CommentMarks | undefined;
  readonly #candidates: Candidate[] = [];
  /** Marks other than text: fields and comments. */
  readonly #placed: FoundMark[] = [];
  readonly #issues: MarkIssue[] = [];
  readonly #formulas: MarkIssue[] = [];
  /** What would be marks with other delimiters. */
  readonly #others: [GroupText, Extent, string][] = [];
  #decision: Decision | undefined;
  #count = 0;

  constructor(options: LanguageOptions, comments: CommentMarks) {
    this.#options = options;
    this.#usage = new Usage(options);
    const { syntax } = options;
    this.#comments = syntax === 'auto' || syntax === 'stamper' ? comments : undefined;
    this.#usage.hasStamper = this.#comments?.isEmpty === false;
  }

  survey(story: Story): Page {
    const { syntax } = this.#options;
    const fields = syntax === 'auto' || syntax === 'word' ? fieldMarksOf(story) : NO_FIELDS;
    const groups = syntax === 'word' ? [] : textGroupsOf(story, { crossesBreaks: true });
    const texts = groups
      .filter(({ texts: [first] }) => !isInside(first, fields.nodes))
      .map((group) => new GroupText(group));
    this.#usage.add(texts.map(({ text }) => text));
    return { story, texts, fields };
  }

  find({ story, texts, fields }: Page): void {
    this.#decision ??= this.#usage.decide();
    const lexer = this.#usage.lexer();
    const rows = this.#decision.takesRows ? rowMarksOf(texts) : new Map<GroupText, readonly Lexeme[]>();
    const isForeign = this.#options.syntax === 'auto' && !this.#usage.hasOwnDelimiters;
    if (isForeign) for (const text of texts) this.#refuseForeign(text);
    for (const [index, text] of texts.entries())
      for (const found of rows.get(text) ?? lexer.read(text.text))
        if (!this.#add(story, text, found) && this.#isHalf(text, found, texts[index + 1]))
          this.#report(text, found, shownAround(text.text, found), HALF);
    this.#formulas.push(...fields.formulas);
    for (const { marks, issues } of [fields, this.#comments?.in(story) ?? NO_FIELDS]) {
      this.#placed.push(...marks);
      this.#issues.push(...issues);
      this.#countOne(story, marks.length);
    }
  }

  /** Refuses directives of languages that have no marks in text here: they would stay. */
  #refuseForeign(text: GroupText): void {
    for (const { 0: written, index } of text.text.matchAll(FOREIGN)) {
      const issue =
        'A directive of another language is not supported in text; Velocity and FreeMarker may be in merge fields';
      this.#report(text, { start: index, end: index + written.length }, written, issue);
    }
    const other = OTHER.exec(text.text);
    if (other === null) return;
    const extent = { start: other.index, end: other.index + other[0].length };
    this.#others.push([text, extent, other[0]]);
  }

  /**
   * Whether a mark begins at the end of a text and ends in the next one of its paragraph: in a control, or behind it. With
   * a dollar sign, it may end in another paragraph.
   */
  #isHalf({ text, group }: GroupText, { kind, start }: Lexeme, next: GroupText | undefined): boolean {
    if (kind !== 'unclosed' || this.#options.syntax !== 'auto' || next === undefined) return false;
    // The first brace of two is reported.
    if (text[start - 1] === '{' || text.length - start > HALF_CHARS_MAX) return false;
    const written = HALF_MARK.exec(text.slice(start) + next.text.slice(0, HALF_CHARS_MAX))?.[1];
    const inner = written?.replace(HALF_SIGN, '');
    if (inner === undefined || !(isValue(inner) || CARBONE.test(inner))) return false;
    const isOneParagraph = around(group.texts[0], 'w:p') === around(next.group.texts[0], 'w:p');
    return isOneParagraph || text[start - 1] === '$';
  }

  /** Returns whether the mark is one, or a mistake. */
  #add(story: Story, text: GroupText, found: Lexeme): boolean {
    const choice = this.#decision?.choose(found, text.text[found.start - 1] ?? '');
    if (choice === undefined) return false;
    this.#countOne(story);
    if ('issue' in choice) {
      this.#report(text, found, shownAround(text.text, found), choice.issue);
      return true;
    }
    const { start, end, tag } = tagOf(found, choice);
    const written = text.text.slice(start, end);
    const last = this.#candidates.at(-1);
    const limit = last?.text === text ? last.extent.end : 0;
    const sign = choice.syntax === 'jinja' ? '-' : choice.syntax === 'handlebars' ? '~' : undefined;
    const whole = { start, end };
    const extent = sign === undefined ? whole : trimmedExtent(text.text, whole, tag, { limit, sign });
    this.#candidates.push({ story, text, extent, written, syntax: choice.syntax, tag });
    return true;
  }

  #countOne({ part }: Story, more = 1): void {
    this.#count += more;
    if (this.#count > BOUNDS.placeholdersMax) throw boundPassed('placeholdersMax', part.name);
  }

  #report(text: GroupText, { start, end }: Extent, written: string, issue: string): void {
    const node = text.piecesOf(start, end).pieces[0].text;
    this.#issues.push({ story: text.group.story, node, written: written.slice(0, WRITTEN_CHARS_MAX), issue });
  }

  result(): FoundMarks {
    const readings = readAll(this.#candidates);
    const marks: FoundMark[] = [];
    for (const [index, { story, text, extent, written, syntax }] of this.#candidates.entries()) {
      const reading = readings[index];
      if (reading === undefined) throw new Error('a mark was not read');
      if ('issue' in reading) {
        this.#report(text, extent, written, reading.issue);
        continue;
      }
      const { pieces, breaks } = text.piecesOf(extent.start, extent.end);
      const place = { kind: 'text', pieces, ...(breaks.length > 0 ? { breaks } : {}) } as const;
      const { instruction } = reading;
      marks.push({ story, place, written: written.slice(0, WRITTEN_CHARS_MAX), syntax, instruction });
    }
    if (marks.length + this.#placed.length + this.#issues.length === 0)
      for (const [text, extent, written] of this.#others)
        this.#report(
          text,
          extent,
          written,
          'No language has this mark; “delimiters” names those of a template',
        );
    const all = this.#placed.length === 0 ? marks : inOrder([...marks, ...this.#placed]);
    const usage = this.#usage;
    return {
      marks: all,
      syntaxes: [...new Set(all.map(({ syntax }) => syntax))],
      issues: this.#issues,
      formulas: this.#formulas,
      readText: (text) => readText(text, usage),
    };
  }
}

function inOrder(marks: FoundMark[]): FoundMark[] {
  const stories = new Map<Story, number>();
  for (const { story } of marks) if (!stories.has(story)) stories.set(story, stories.size);
  return marks.sort(
    (a, b) => (stories.get(a.story) ?? 0) - (stories.get(b.story) ?? 0) || spanOf(a).start - spanOf(b).start,
  );
}

function isInside(node: XmlNode, nodes: ReadonlySet<XmlNode>): boolean {
  if (nodes.size === 0) return false;
  for (const outer of ancestorsOf(node)) if (nodes.has(outer)) return true;
  return false;
}
