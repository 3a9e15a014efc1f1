import { assign, type Bound, type Scope } from '@scriptorium/expressions/evaluate';
import type { Json } from '@scriptorium/expressions/expression';
import { BOUNDS, boundPassed } from '@scriptorium/ooxml/bounds';
import { hasKind } from '../values/kinds.ts';
import { isJsonObject } from '../values/value-kind.ts';
import { writtenCell } from './cells.ts';
import type { Charts } from './charts.ts';
import type { Copies } from './copies.ts';
import { mendedTable } from './mended-table.ts';
import { withoutPieceMarks } from './piece-marks.ts';
import type { PlacedTexts } from './placed-texts.ts';
import type {
  AloneOp,
  BlockOp,
  CellOp,
  ControlItem,
  ControlOp,
  FilledOp,
  Op,
  PartsOp,
  PictureOp,
  SetOp,
  ValueOp,
} from './program.ts';
import type { ValueWriter } from './value-writer.ts';

/** Writes the steps of compiled parts with data. One renderer writes one document. */
export class Renderer {
  readonly #writer: ValueWriter;
  readonly #copies: Copies;
  readonly #charts: Charts;
  readonly #places: PlacedTexts | undefined;
  #out = '';
  /** Characters written outside of `#out`. */
  #outside = 0;
  #items = 0;

  /** `places`: marks the pieces of blocks. */
  constructor(writer: ValueWriter, copies: Copies, charts: Charts, places: PlacedTexts | undefined) {
    this.#places = places;
    this.#writer = writer;
    this.#copies = copies;
    this.#charts = charts;
  }

  /**
   * The text of steps. Throws OoxmlError DOCUMENT_TOO_COMPLEX if it exceeds a bound. Mistakes in the data are added to
   * the findings of the writer.
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
      else if (op.kind === 'block') this.#block(op, scope);
      else if (op.kind === 'alone') this.#alone(op, scope);
      else if (op.kind === 'control') this.#control(op, scope);
      else if (op.kind === 'picture') this.#picture(op, scope);
      else if (op.kind === 'set') this.#set(op, scope);
      else this.#out += this.#textOf(op, scope);
  }

  #textOf(
    op: Exclude<Op, string | ValueOp | BlockOp | AloneOp | ControlOp | PictureOp | SetOp>,
    scope: Scope,
  ): string {
    switch (op.kind) {
      case 'filled':
        return this.#filled(op, scope);
      case 'parts':
        return this.#parts(op, scope);
      case 'cell':
        return this.#cell(op, scope);
      case 'copy':
        return this.#copies.identifier(op);
      case 'note':
        this.#writer.addOther();
        return this.#copies.note(op, (ops) => this.render(ops, scope));
      case 'text':
        return this.#writer.attribute(op, scope);
      case 'link':
        return this.#writer.link(op, scope);
      case 'chart':
        this.#writer.addOther();
        return this.#charts.write(op, scope, (ops) => this.render(ops, scope));
    }
  }

  #value(op: ValueOp, scope: Scope): void {
    const replacement = this.#writer.replacement(op, scope);
    if (replacement !== undefined) this.#out += this.#writer.inText(op, replacement, scope);
  }

  #block(op: BlockOp, scope: Scope): void {
    this.#out += op.start;
    const before = this.#out.length;
    this.#out += this.#places?.block() ?? '';
    this.#branches(op, scope);
    if (withoutPieceMarks(this.#out.slice(before)) === '') this.#out += op.remains;
    this.#out += (this.#places?.blockEnd() ?? '') + op.end;
  }

  #branches(op: BlockOp, scope: Scope): void {
    for (const [branch, { expression, before, ops, after }] of op.branches.entries()) {
      const write = (inner: Scope) => {
        const copy = inner.loop === scope.loop ? undefined : inner.loop?.index;
        this.#out += (this.#places?.piece(branch, copy) ?? '') + before;
        this.#run(ops, inner);
        this.#out += after + (this.#places?.pieceEnd() ?? '');
      };
      if (expression === undefined) {
        write(scope);
        return;
      }
      this.#writer.at(op.spot, op.spot.node);
      const found = this.#writer.evaluate(expression, scope);
      if (found === undefined) return;
      const isShown =
        op.type === 'for' ? this.#each(op, found, scope, write) : this.#shows(op, found, scope, write);
      if (isShown) return;
    }
  }

  /** Writes a section or a condition. Returns whether it was shown. */
  #shows(op: BlockOp, { value, path }: Bound, scope: Scope, write: (inner: Scope) => void): boolean {
    if (op.isList && value !== undefined && value !== null && !Array.isArray(value)) {
      this.#writer.report(path, `must be a list, because ${op.written} repeats its content for each item`);
      return false;
    }
    const isMet = this.#writer.isTruthy(value);
    if (op.type === 'inverted') {
      if (!isMet) write(scope);
      return !isMet;
    }
    if (!isMet) {
      const isMissing = value === undefined && op.type === 'section' && !op.hasOtherwise;
      if (isMissing) this.#writer.lack(path);
      return false;
    }
    if (op.type === 'if') write(scope);
    else if (Array.isArray(value)) this.#eachItem(value, path, scope, write);
    else this.#once(() => write(value === true ? scope : { value, outer: scope, path }));
    return true;
  }

  /** Writes a `for`. Returns whether it had an item. */
  #each(op: BlockOp, { value, path }: Bound, scope: Scope, write: (inner: Scope) => void): boolean {
    if (value === undefined || value === null) {
      this.#writer.lack(path);
      return false;
    }
    if (typeof value !== 'object') {
      const issue = `must be a list or an object, because ${op.written} repeats its content for each item`;
      this.#writer.report(path, issue);
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

  /** Writes each item of a list as the innermost value. */
  #eachItem(
    items: readonly Json[],
    path: string,
    outer: Scope,
    write: (inner: Scope) => void,
    isPiece = true,
  ): void {
    const writeItem = (item: Json | undefined, index: number) =>
      write({ value: item, outer, loop: { index, length: items.length }, path: `${path}[${index}]` });
    this.#repeat(items, writeItem, isPiece);
  }

  #repeat(
    items: readonly (Json | undefined)[],
    write: (item: Json | undefined, index: number) => void,
    isPiece = true,
  ): void {
    for (let index = 0; index < items.length; index++) {
      if (++this.#items > BOUNDS.generatedItemsMax) throw boundPassed('generatedItemsMax');
      if (this.#outside + this.#out.length > BOUNDS.xmlBytesMax) throw boundPassed('xmlBytesMax');
      this.#copies.enter(index, isPiece);
      write(items[index], index);
      this.#copies.leave();
    }
  }

  #alone(op: AloneOp, scope: Scope): void {
    const replacement = this.#writer.replacement(op.value, scope);
    if (replacement === undefined) return;
    if (typeof replacement !== 'string' && 'blocks' in replacement) {
      this.#out += replacement.blocks + op.behind;
      return;
    }
    this.#run(op.before, scope);
    this.#out += this.#writer.inText(op.value, replacement, scope);
    this.#run(op.after, scope);
  }

  #filled(op: FilledOp, scope: Scope): string {
    const text = this.render(op.ops, scope);
    const last = Math.max(
      text.lastIndexOf(`</${op.paragraphName}>`),
      text.lastIndexOf(`<${op.paragraphName}/>`),
      text.lastIndexOf(`<${op.paragraphName} `),
    );
    return last > text.lastIndexOf(`</${op.tableName}>`) ? text : text + op.paragraph;
  }

  #parts({ ops, partTag, mends }: PartsOp, scope: Scope): string {
    const text = this.render(ops, scope);
    const hasPart = text.includes(`${partTag}>`) || text.includes(`${partTag} `);
    if (!hasPart) return '';
    return mends === undefined ? text : mendedTable(text, mends);
  }

  #cell(op: CellOp, scope: Scope): string {
    this.#writer.addOther();
    return writtenCell(op, scope, this.#writer, (ops) => this.render(ops, scope));
  }

  #set({ variable, expression, isGlobal }: SetOp, scope: Scope): void {
    this.#writer.addOther();
    const found = this.#writer.evaluate(expression, scope);
    if (found !== undefined) assign(variable, found, scope, isGlobal);
  }

  #picture(op: PictureOp, scope: Scope): void {
    const text = this.#writer.picture(op, scope);
    if (text === undefined) this.#run(op.ops, scope);
    else this.#out += text;
  }

  #control(op: ControlOp, scope: Scope): void {
    const found = this.#writer.named(op, scope);
    if (found === undefined) this.#unfilledControl(op, scope);
    else if (op.item === undefined || !this.#controlItems(op, op.item, found, scope))
      this.#filledControl(op, found, scope);
  }

  /** Writes the items of a control for a list or an object. Returns whether the value was one. */
  #controlItems(op: ControlOp, item: ControlItem, { value, path }: Bound, scope: Scope): boolean {
    const write = (inner: Scope) => this.#run(item.ops, inner);
    const isList = Array.isArray(value) && !(item.isWhole && value.length === 0);
    const isObject = !item.isSection && isJsonObject(value) && !hasKind(value);
    if (isList || isObject) {
      this.#run(item.before, scope);
      if (isList) this.#eachItem(value, path, scope, write, false);
      else this.#once(() => write({ value, outer: scope, path }));
      this.#run(item.after, scope);
    } else if (item.isSection)
      this.#writer.report(path, 'must be a list, because a repeating section shows it');
    else if (Array.isArray(value)) this.#filledControl(op, { value: null, path }, scope);
    return isList || isObject || item.isSection || Array.isArray(value);
  }

  #filledControl(op: ControlOp, found: Bound, scope: Scope): void {
    const id = op.id === undefined ? undefined : this.#copies.identifier(op.id);
    const filled = this.#writer.control(op, found, id);
    if (filled === undefined) this.#unfilledControl(op, scope);
    else this.#out += filled;
  }

  #unfilledControl({ ops, item }: ControlOp, scope: Scope): void {
    this.#run(ops, scope);
    if (item === undefined || item.isSection) return;
    this.#run(item.before, scope);
    this.#once(() => this.#run(item.ops, scope));
    this.#run(item.after, scope);
  }

  /** Writes what loops may copy as the part of the copy around it. */
  #once(write: () => void): void {
    this.#copies.enterSame();
    write();
    this.#copies.leave();
  }
}
