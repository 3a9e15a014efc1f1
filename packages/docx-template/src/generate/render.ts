import { type Bound, DataError, type Evaluator, type Scope } from '@scriptorium/expressions/evaluate';
import type { Expression, Json } from '@scriptorium/expressions/expression';
import { BOUNDS, boundPassed } from '@scriptorium/ooxml/bounds';
import type { PackageEditor } from '../package-editor.ts';
import { type FieldIssue, TemplateError } from '../template-error.ts';
import type { Replacement } from '../values/value-kind.ts';
import type { Copies } from './copies.ts';
import type {
  AloneOp,
  BlockOp,
  ControlOp,
  FilledOp,
  LinkOp,
  Op,
  PartsOp,
  TextOp,
  ValueOp,
} from './program.ts';
import type { RichValues } from './rich-values.ts';
import { placeInText } from './split-paragraph.ts';
import { TextMarkup } from './text-markup.ts';

/** Mistakes in the data that are reported at once. */
const ISSUES_MAX = 100;
const LINK = /^(?:https?:\/\/|mailto:|tel:)/i;

export interface RenderOptions {
  onMissing: 'empty' | 'error' | 'keep';
}

/** What a render found, besides its text. */
export interface Findings {
  filled: number;
  /** Paths of missing values, each once, and their number. */
  missing: Set<string>;
  issues: FieldIssue[];
}

/** Writes the steps of compiled parts with data. One renderer writes one document. */
export class Renderer {
  readonly findings: Findings = { filled: 0, missing: new Set(), issues: [] };
  readonly #evaluator: Evaluator;
  readonly #editor: PackageEditor;
  readonly #values: RichValues;
  readonly #copies: Copies;
  readonly #options: RenderOptions;
  readonly #markup = new TextMarkup();
  #out = '';
  /** Characters written outside of `#out`. */
  #outside = 0;
  #items = 0;

  constructor(
    parts: { evaluator: Evaluator; editor: PackageEditor; values: RichValues; copies: Copies },
    options: RenderOptions,
  ) {
    this.#evaluator = parts.evaluator;
    this.#editor = parts.editor;
    this.#values = parts.values;
    this.#copies = parts.copies;
    this.#options = options;
  }

  /**
   * The text of steps. Throws OoxmlError DOCUMENT_TOO_COMPLEX if it exceeds a bound. Mistakes in the data are added to
   * the findings.
   */
  render(ops: readonly Op[], scope: Scope): string {
    const outer = this.#out;
    this.#outside += outer.length;
    this.#out = '';
    this.#run(ops, scope);
    const text = this.#out;
    this.#out = outer;
    this.#outside -= outer.length;
    return text;
  }

  #run(ops: readonly Op[], scope: Scope): void {
    for (const op of ops)
      if (typeof op === 'string') this.#out += op;
      else if (op.kind === 'value') this.#value(op, scope);
      else this.#step(op, scope);
  }

  #step(op: Exclude<Op, string | ValueOp>, scope: Scope): void {
    switch (op.kind) {
      case 'block':
        return this.#block(op, scope);
      case 'alone':
        return this.#alone(op, scope);
      case 'filled':
        return this.#filled(op, scope);
      case 'parts':
        return this.#parts(op, scope);
      case 'copy':
        this.#out += this.#copies.identifier(op);
        return;
      case 'note':
        this.#out += this.#copies.note(op, (ops) => this.render(ops, scope));
        return;
      case 'text':
        this.#out += this.#markup.attribute(this.#text(op, scope));
        return;
      case 'link':
        this.#out += this.#link(op, scope);
        return;
      case 'control':
        return this.#control(op, scope);
    }
  }

  #value(op: ValueOp, scope: Scope): void {
    const replacement = this.#replacement(op, scope);
    if (typeof replacement === 'string') this.#out += replacement;
    else if (replacement !== undefined) this.#out += this.#checked(scope, op, placeInText(op, replacement));
  }

  /** The markup of a value inside its `w:t`, or what takes another place. Undefined if the value is not ready. */
  #replacement(op: ValueOp, scope: Scope): string | Replacement | undefined {
    const found = this.#evaluate(op.expression, scope);
    if (found === undefined) return '';
    const { value, path } = found;
    if (value === undefined || value === null) return this.#missing(op, path);
    this.findings.filled++;
    if (typeof value !== 'object' && op.as === undefined)
      return this.#plain(this.#evaluator.text(value), path, op);
    return this.#tried(() => this.#values.render(value, op, path));
  }

  /** The result, or nothing if the data has a mistake. */
  #tried<Result>(act: () => Result): Result | undefined {
    try {
      return act();
    } catch (error) {
      this.#report(error);
      return undefined;
    }
  }

  #plain(text: string, path: string, { textTags, story }: ValueOp): string {
    const issue = this.#markup.issueOf(text);
    if (issue === null) return this.#markup.inText(text, textTags, story.dialect);
    this.#issue(path, issue);
    return '';
  }

  #missing({ written, textTags, story }: ValueOp, path: string): string {
    this.findings.missing.add(path);
    return this.#options.onMissing === 'keep' ? this.#markup.inText(written, textTags, story.dialect) : '';
  }

  #checked(scope: Scope, op: ValueOp, text: string | undefined): string {
    if (text !== undefined) return text;
    const { path = scope.path } = this.#evaluate(op.expression, scope) ?? {};
    this.#issue(
      path,
      `needs a paragraph of its own, but ${op.written} shares its paragraph with other content`,
    );
    return '';
  }

  #evaluate(expression: Expression, scope: Scope): Bound | undefined {
    return this.#tried(() => this.#evaluator.evaluate(expression, scope));
  }

  /** Collects a mistake in the data. Throws every other error. */
  #report(error: unknown): void {
    if (error instanceof DataError) this.#issue(error.path, error.message);
    else if (error instanceof TemplateError && error.code === 'VALIDATION_ERROR')
      for (const { field, issue } of error.details ?? []) this.#issue(field, issue);
    else throw error;
  }

  #issue(field: string, issue: string): void {
    const { issues } = this.findings;
    const isKnown = issues.some((known) => known.field === field && known.issue === issue);
    if (issues.length < ISSUES_MAX && !isKnown) issues.push({ field, issue });
  }

  #block(op: BlockOp, scope: Scope): void {
    this.#out += op.start;
    const before = this.#out.length;
    this.#branches(op, scope);
    if (this.#out.length === before) this.#out += op.remains;
    this.#out += op.end;
  }

  #branches(op: BlockOp, scope: Scope): void {
    for (const { expression, before, ops, after } of op.branches) {
      const found: Bound | undefined =
        expression === undefined ? { value: true, path: '' } : this.#evaluate(expression, scope);
      if (found === undefined) return;
      const write = (inner: Scope) => {
        this.#out += before;
        this.#run(ops, inner);
        this.#out += after;
      };
      if (expression === undefined) return write(scope);
      if (op.type === 'for') {
        if (this.#each(op, found, scope, write)) return;
      } else if (this.#shows(op, found, scope, write)) return;
    }
  }

  /** Writes a section or a condition. Returns whether it was shown. */
  #shows(op: BlockOp, { value, path }: Bound, scope: Scope, write: (inner: Scope) => void): boolean {
    if (op.type === 'inverted') {
      const isShown = !this.#evaluator.isTruthy(value);
      if (isShown) write(scope);
      return isShown;
    }
    if (!this.#evaluator.isTruthy(value)) return false;
    if (op.type === 'if' || value === true) write(scope);
    else if (Array.isArray(value))
      this.#repeat(value, (item, index) => write(itemScope(value, item, index, path, scope)));
    else write({ value, outer: scope, path });
    return true;
  }

  /** Writes a `for`. Returns whether it had an item. */
  #each(op: BlockOp, { value, path }: Bound, scope: Scope, write: (inner: Scope) => void): boolean {
    if (value === undefined || value === null) {
      this.findings.missing.add(path);
      return false;
    }
    if (typeof value !== 'object') {
      this.#issue(
        path,
        `must be a list or an object, because ${op.written} repeats its content for each item`,
      );
      return false;
    }
    const keys = Array.isArray(value) ? undefined : Object.keys(value);
    const items: readonly (Json | undefined)[] = Array.isArray(value) ? value : Object.values(value);
    this.#repeat(items, (item, index) => {
      const key = keys?.[index];
      const variables = new Map<string, Bound>();
      const itemPath = key === undefined ? `${path}[${index}]` : `${path}.${key}`;
      // As in Python, a single variable over an object names its keys.
      const isKey = key !== undefined && op.itemKey === undefined;
      if (op.variable !== undefined)
        variables.set(op.variable, { value: isKey ? key : item, path: itemPath });
      if (op.itemKey !== undefined) variables.set(op.itemKey, { value: key ?? index, path: itemPath });
      const loop = { index, length: items.length, ...(key !== undefined && { key }) };
      write({ value: scope.value, outer: scope, variables, loop, path: scope.path });
    });
    return items.length > 0;
  }

  #repeat(
    items: readonly (Json | undefined)[],
    write: (item: Json | undefined, index: number) => void,
  ): void {
    for (let index = 0; index < items.length; index++) {
      if (++this.#items > BOUNDS.generatedItemsMax) throw boundPassed('generatedItemsMax');
      if (this.#outside + this.#out.length > BOUNDS.xmlBytesMax) throw boundPassed('xmlBytesMax');
      this.#copies.enter(index);
      write(items[index], index);
      this.#copies.leave();
    }
  }

  #alone(op: AloneOp, scope: Scope): void {
    const replacement = this.#replacement(op.value, scope);
    if (replacement === undefined) return;
    if (typeof replacement !== 'string' && 'blocks' in replacement) {
      this.#out += replacement.blocks + op.behind;
      return;
    }
    this.#run(op.before, scope);
    this.#out +=
      typeof replacement === 'string'
        ? replacement
        : this.#checked(scope, op.value, placeInText(op.value, replacement));
    this.#run(op.after, scope);
  }

  #filled(op: FilledOp, scope: Scope): void {
    const text = this.render(op.ops, scope);
    const last = Math.max(
      text.lastIndexOf(`</${op.paragraphName}>`),
      text.lastIndexOf(`<${op.paragraphName}/>`),
      text.lastIndexOf(`<${op.paragraphName} `),
    );
    this.#out += last > text.lastIndexOf(`</${op.tableName}>`) ? text : text + op.paragraph;
  }

  #parts({ ops, partTag }: PartsOp, scope: Scope): void {
    const text = this.render(ops, scope);
    if (text.includes(`${partTag}>`) || text.includes(`${partTag} `)) this.#out += text;
  }

  #text({ parts }: TextOp | LinkOp, scope: Scope): string {
    let text = '';
    for (const part of parts) {
      if (typeof part === 'string') text += part;
      else if (part.instruction.type === 'value') {
        const { value, path } = this.#evaluate(part.instruction.expression, scope) ?? { value: '', path: '' };
        if (value === undefined || value === null) {
          this.findings.missing.add(path);
          text += this.#options.onMissing === 'keep' ? part.written : '';
        } else if (typeof value === 'object')
          this.#issue(path, `must be a text, because ${part.written} has no runs`);
        else text += this.#evaluator.text(value);
        this.findings.filled++;
      }
    }
    const issue = this.#markup.issueOf(text);
    if (issue !== null) this.#issue(scope.path, issue);
    return issue === null ? text : '';
  }

  #link(op: LinkOp, scope: Scope): string {
    const address = this.#text(op, scope);
    if (LINK.test(address)) return this.#editor.addLink(op.story, address);
    this.#issue(
      scope.path,
      `must lead to an address that begins with http:, https:, mailto: or tel:, not “${address.slice(0, 100)}”`,
    );
    return '';
  }

  #control(op: ControlOp, scope: Scope): void {
    const found = this.#named(op, scope);
    if (found?.value === undefined) return this.#run(op.ops, scope);
    if (op.item === undefined) return this.#filledControl(op, found, scope);
    const { value, path } = found;
    if (!Array.isArray(value))
      return this.#issue(path, 'must be a list, because a repeating section shows it');
    const { before, ops, after } = op.item;
    this.#run(before, scope);
    this.#repeat(value, (item, index) => this.#run(ops, itemScope(value, item, index, path, scope)));
    this.#run(after, scope);
  }

  /** The value of the first name that the data has. */
  #named({ names }: ControlOp, scope: Scope): Bound | undefined {
    for (const name of names) {
      const found = this.#evaluate(name, scope);
      if (found?.value !== undefined) return found;
    }
    return undefined;
  }

  #filledControl(op: ControlOp, { value, path }: Bound, scope: Scope): void {
    const id = op.id === undefined ? undefined : this.#copies.identifier(op.id);
    const filled = this.#tried(() => this.#values.control(op.control, value ?? null, { path, id }));
    if (filled === undefined) this.#run(op.ops, scope);
    else {
      this.findings.filled++;
      this.#out += filled;
    }
  }
}

function itemScope(
  items: readonly Json[],
  item: Json | undefined,
  index: number,
  path: string,
  outer: Scope,
): Scope {
  return { value: item, outer, loop: { index, length: items.length }, path: `${path}[${index}]` };
}
