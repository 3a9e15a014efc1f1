import type { PackageEditor } from '@scriptorium/docx-template/editor';
import { type FieldIssue, TemplateError } from '@scriptorium/docx-template/error';
import type { Story } from '@scriptorium/docx-template/template';
import { type Bound, DataError, type Evaluator, type Scope } from '@scriptorium/expressions/evaluate';
import type { Expression } from '@scriptorium/expressions/expression';
import type { XmlNode } from '@scriptorium/ooxml/xml';
import type { Generation } from '../generation.ts';
import { titleOfChart } from '../values/named-chart.ts';
import type { Replacement } from '../values/value-kind.ts';
import { fieldLinkIssue, linkIssue } from './link-address.ts';
import type { PlacedTexts } from './placed-texts.ts';
import type { ControlOp, LinkOp, PictureOp, Spot, TextOp, ValueOp } from './program.ts';
import type { RichValues } from './rich-values.ts';
import { placeInText } from './split-paragraph.ts';
import { TextMarkup } from './text-markup.ts';

/** Mistakes in the data that are reported at once. */
const ISSUES_MAX = 100;

/** A place without its value. Without an `issue`, that is missing. */
export interface Unfilled extends Spot {
  path: string;
  issue?: string;
}

/** What a render found, besides its text. */
export interface Findings {
  filled: number;
  /** Paths of missing values, each once. */
  missing: Set<string>;
  /** The first path for a mark of the template that is missing, or whose value does not suit the mark. */
  unfilled: Map<object, Unfilled>;
  issues: FieldIssue[];
}

/** Writes values of the data, and collects what is missing or wrong. */
export class ValueWriter {
  readonly findings: Findings = { filled: 0, missing: new Set(), unfilled: new Map(), issues: [] };
  readonly #evaluator: Evaluator;
  readonly #editor: PackageEditor;
  readonly #values: RichValues;
  readonly #keepsMissing: boolean;
  readonly #needsControls: boolean;
  readonly #areControlsMarks: boolean;
  readonly #places: PlacedTexts | undefined;
  readonly #markup = new TextMarkup();
  #mark: { story: Story } | undefined;
  #node: XmlNode | undefined;

  /**
   * `onMissing=keep`: a mark without a value stays as it is. `areControlsMarks`: a control without a value is missing one.
   * `places`: takes texts out of the document.
   */
  constructor(
    parts: {
      evaluator: Evaluator;
      editor: PackageEditor;
      values: RichValues;
      places?: PlacedTexts | undefined;
    },
    { onMissing, areControlsMarks }: Pick<Generation, 'onMissing'> & { areControlsMarks: boolean },
  ) {
    this.#places = parts.places;
    this.#evaluator = parts.evaluator;
    this.#editor = parts.editor;
    this.#values = parts.values;
    this.#keepsMissing = onMissing === 'keep';
    this.#needsControls = onMissing === 'error';
    this.#areControlsMarks = areControlsMarks;
  }

  /** Undefined if the data has a mistake. Throws every error that is not one. */
  evaluate(expression: Expression, scope: Scope): Bound | undefined {
    const found = this.tried(() => this.#evaluator.evaluate(expression, scope));
    for (const path of this.#evaluator.missingCalls) this.lack(path);
    return found;
  }

  /** What is evaluated next belongs to this mark. */
  at(mark: { story: Story }, node: XmlNode): void {
    this.#mark = mark;
    this.#node = node;
  }

  /** Adds a missing value. */
  lack(path: string): void {
    this.findings.missing.add(path);
    this.#leave({ path });
  }

  #leave(unfilled: Omit<Unfilled, keyof Spot>): void {
    const [mark, node] = [this.#mark, this.#node];
    const known = this.findings.unfilled;
    if (mark === undefined || node === undefined || known.has(mark)) return;
    known.set(mark, { story: mark.story, node, ...unfilled });
  }

  isTruthy(value: Bound['value']): boolean {
    return this.#evaluator.isTruthy(value);
  }

  /** Adds a mistake in the data, once. */
  report(field: string, issue: string): void {
    this.#leave({ path: field, issue });
    this.#addIssue(field, issue);
  }

  #addIssue(field: string, issue: string): void {
    const { issues } = this.findings;
    const isKnown = issues.some((known) => known.field === field && known.issue === issue);
    if (issues.length < ISSUES_MAX && !isKnown) issues.push({ field, issue });
  }

  /** The markup of a value inside its `w:t`, or what takes another place. Undefined if the value is not ready. */
  replacement(op: ValueOp, scope: Scope): string | Replacement | undefined {
    this.at(op, op.text);
    const found = this.evaluate(op.expression, scope);
    if (found === undefined) return '';
    const { value, path } = found;
    if (value === undefined || value === null) {
      this.#refuseList(op, scope);
      return this.#missing(op, path);
    }
    this.findings.filled++;
    if (typeof value !== 'object' && op.as === undefined)
      return this.#plain(this.#evaluator.text(value), path, op);
    this.#places?.addOther();
    const issue = this.#values.issueOf(value, op);
    if (issue === undefined) return this.tried(() => this.#values.render(value, op, path));
    this.report(path, issue);
    return undefined;
  }

  /** A replacement as it continues its `w:t`. Empty if it cannot stand there, which is a mistake. */
  inText(op: ValueOp, replacement: string | Replacement, scope: Scope): string {
    if (typeof replacement === 'string') return replacement;
    const text = placeInText(op, replacement);
    if (text !== undefined) return text;
    const { path = scope.path } = this.evaluate(op.expression, scope) ?? {};
    const issue = `needs a paragraph of its own, but ${op.written} shares its paragraph with other content`;
    this.report(path, issue);
    return '';
  }

  /** Text without runs, as the value of an attribute or the content of an element. */
  attribute(op: TextOp, scope: Scope): string {
    this.at(op, op.node);
    const text = this.#text(op, scope);
    const issue = op.isCode === true ? fieldLinkIssue(text) : undefined;
    if (issue !== undefined) this.report(scope.path, issue);
    return this.#markup.attribute(text);
  }

  /** The id of a relationship to the address of a link. */
  link(op: LinkOp, scope: Scope): string {
    this.at(op, op.node);
    this.#places?.addOther();
    const address = this.#text(op, scope);
    const issue = linkIssue(address);
    if (issue === undefined) return this.#editor.addLink(op.story, address);
    this.report(scope.path, issue);
    return '';
  }

  /** The value of the first name of a control that the data has. */
  named({ control, names, item }: ControlOp, scope: Scope): Bound | undefined {
    this.at(control, control.node);
    let missing: string | undefined;
    for (const name of names) {
      const found = this.evaluate(name, scope);
      if (found?.value !== undefined) return found;
      missing ??= found?.path;
    }
    const isNeeded = this.#areControlsMarks || this.#needsControls || item?.isSection === true;
    if (isNeeded && missing !== undefined) this.lack(missing);
    return undefined;
  }

  /** The source of a control with a value. Undefined if the value does not fill it, or has a mistake. */
  control({ control }: ControlOp, { value = null, path }: Bound, id: string | undefined): string | undefined {
    const isMark = this.#areControlsMarks;
    const mark = this.#places?.takeControl(value, control);
    const filled = this.tried(() => this.#values.control(control, mark ?? value, { path, id, isMark }));
    if (mark === undefined || filled?.split(mark).length !== 2) this.#places?.addOther();
    if (filled !== undefined) this.findings.filled++;
    return filled;
  }

  /** The source of a drawing with another picture. Undefined if the value is not an image. */
  picture(op: PictureOp, scope: Scope): string | undefined {
    this.at(op, op.drawing);
    const found = this.evaluate(op.expression, scope);
    if (found === undefined) return undefined;
    const { value, path } = found;
    const isEmpty = value === undefined || value === null || (op.isImage && value === '');
    if (isEmpty) {
      if (!op.isImage) return undefined;
      this.lack(path);
      return this.#keepsMissing ? undefined : '';
    }
    const text = this.tried(() => this.#values.picture(value, op, path));
    // An image that is not loaded is none here.
    if (text === undefined && op.isImage)
      this.#addIssue(path, 'must be an image, because a picture shows it');
    if (text !== undefined) this.findings.filled++;
    this.#places?.addOther();
    return text;
  }

  #plain(text: string, path: string, op: ValueOp): string {
    const issue = this.#markup.issueOf(text);
    if (issue === null)
      return this.#places?.take(text, op) ?? this.#markup.inText(text, op.textTags, op.story.dialect);
    this.report(path, issue);
    return '';
  }

  /** Reports a path that names a property of a list: nothing would be shown for any of its items. */
  #refuseList({ expression, written }: ValueOp, scope: Scope): void {
    // A list has no property with the result of its method.
    if (expression.kind === 'name' && expression.isCall === true) return;
    const path = expression.kind === 'name' ? expression.path : expression;
    if (path?.kind !== 'path') return;
    for (let count = 1; count < path.steps.length; count++) {
      const outer = this.evaluate({ ...path, steps: path.steps.slice(0, count) }, scope);
      if (!Array.isArray(outer?.value)) continue;
      const issue = `is a list, but ${written} names a property of one item: repeat it with a loop`;
      this.report(outer.path, issue);
      return;
    }
  }

  #missing(op: ValueOp, path: string): string {
    this.lack(path);
    const text = this.#keepsMissing ? op.written : '';
    return this.#places?.take(text, op) ?? this.#markup.inText(text, op.textTags, op.story.dialect);
  }

  #text(op: TextOp | LinkOp, scope: Scope): string {
    let text = '';
    for (const part of op.parts) {
      if (typeof part === 'string') text += part;
      else if ('instruction' in part && part.instruction.type === 'value')
        text += this.#textPart(op, { ...part, expression: part.instruction.expression }, scope);
    }
    const issue = this.#markup.issueOf(text);
    if (issue !== null) this.report(scope.path, issue);
    return issue === null ? text : '';
  }

  #textPart(
    op: TextOp | LinkOp,
    { expression, written }: { expression: Expression; written: string },
    scope: Scope,
  ): string {
    const { value, path } = this.evaluate(expression, scope) ?? { value: '', path: '' };
    if (value === undefined || value === null) {
      this.lack(path);
      return this.#keepsMissing ? written : '';
    }
    this.findings.filled++;
    if (typeof value !== 'object') {
      const text = this.#evaluator.text(value);
      if (op.kind === 'text' && op.isCode === true && /["\\]/.test(text))
        this.report(path, 'must have no quotation mark and no backslash, because it is part of a field code');
      return text;
    }
    const isOfChart = op.kind === 'text' && op.isOfChart === true;
    const title = isOfChart ? this.tried(() => titleOfChart(value, path)) : undefined;
    if (title !== undefined) return title;
    this.report(path, `must be a text, because ${written} has no runs`);
    return '';
  }

  /** To be called for content that is not text of its part, such as a new note. */
  addOther(): void {
    this.#places?.addOther();
  }

  /** The result, or nothing if the data has a mistake. */
  tried<Result>(act: () => Result): Result | undefined {
    try {
      return act();
    } catch (error) {
      if (error instanceof DataError) this.report(error.path, error.message);
      else if (error instanceof TemplateError && error.code === 'VALIDATION_ERROR')
        for (const { field, issue } of error.details ?? []) this.#addIssue(field, issue);
      else throw error;
      return undefined;
    }
  }
}
