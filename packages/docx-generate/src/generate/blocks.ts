import type { Expression } from '@scriptorium/expressions/expression';
import { boundPassed } from '@scriptorium/ooxml/bounds';
import type { FoundMark, Instruction, MarkIssue, Unit } from './instruction.ts';
import { spanOf } from './span.ts';

type Opening = Extract<Instruction, { type: 'open' }>;

/** One alternative of a block, from its mark to the next mark of the block. */
interface Branch {
  mark: FoundMark;
  /** Undefined for `else`. */
  expression: Expression | undefined;
}

/** A loop or a condition: the marks that belong together. */
export interface Block {
  kind: Opening['kind'];
  /** The variables of an item and its key in a `for`. */
  variable: string | undefined;
  key: string | undefined;
  unit: Unit | undefined;
  branches: [Branch, ...Branch[]];
  close: FoundMark;
  /** The template says what is shown without a value: in another branch, or in an inverted section of the same name. */
  hasOtherwise: boolean;
  /** A section that takes nothing but a list. */
  isList?: boolean;
}

/** Deeper nesting would need more copies than any document has. */
const DEPTH_MAX = 64;

interface Open {
  instruction: Opening;
  mark: FoundMark;
  branches: [Branch, ...Branch[]];
}

/**
 * Pairs the marks of one story, given in document order. Outer blocks come before the blocks in them. Adds every mark
 * without a partner to `issues`. Throws OoxmlError DOCUMENT_TOO_COMPLEX if blocks are nested too deeply.
 */
export function pairBlocks(marks: readonly FoundMark[], issues: MarkIssue[]): Block[] {
  const pairing = new Pairing(marks, issues);
  for (const mark of marks) pairing.add(mark);
  return pairing.end();
}

class Pairing {
  readonly #issues: MarkIssue[];
  /** The names of inverted sections. */
  readonly #inverted: ReadonlySet<string>;
  readonly #open: Open[] = [];
  readonly #blocks: { at: number; block: Block }[] = [];
  readonly #places = new Map<FoundMark, number>();
  #count = 0;

  constructor(marks: readonly FoundMark[], issues: MarkIssue[]) {
    this.#issues = issues;
    this.#inverted = new Set(
      marks.flatMap(({ instruction: own }) =>
        own.type === 'open' && own.kind === 'inverted' ? [own.name] : [],
      ),
    );
  }

  add(mark: FoundMark): void {
    const { instruction } = mark;
    this.#places.set(mark, this.#count++);
    if (instruction.type === 'open') {
      if (this.#open.length >= DEPTH_MAX) throw boundPassed('blockDepthMax', mark.story.part.name);
      this.#open.push({ instruction, mark, branches: [{ mark, expression: instruction.expression }] });
    } else if (instruction.type === 'else') this.#branch(mark, instruction.expression);
    else if (instruction.type === 'close') this.#close(mark, instruction);
  }

  end(): Block[] {
    for (const { mark } of this.#open) this.#report(mark, 'Unclosed loop');
    return this.#blocks.sort((a, b) => a.at - b.at).map(({ block }) => block);
  }

  #branch(mark: FoundMark, expression: Expression | undefined): void {
    const open = this.#open.at(-1);
    if (open === undefined) this.#report(mark, 'Unopened condition');
    else if (open.branches.length > 1 && open.branches.at(-1)?.expression === undefined)
      this.#report(mark, 'A condition has one “else”, which is its last alternative');
    else if (open.instruction.kind !== 'if' && expression !== undefined)
      this.#report(mark, 'A loop has no further conditions');
    else open.branches.push({ mark, expression });
  }

  #close(mark: FoundMark, { name, kind }: Extract<Instruction, { type: 'close' }>): void {
    const closes = ({ instruction }: Open) =>
      instruction.endsWithOuter !== true &&
      (name === '' || instruction.name === name) &&
      (kind === undefined || kind === instruction.kind || instruction.kind === 'section');
    const at = this.#open.findLastIndex(closes);
    if (at === -1) {
      const innermost = this.#open.pop();
      if (innermost === undefined) this.#report(mark, 'Unopened loop');
      else this.#report(innermost.mark, `Closing tag does not match opening tag: it is ${mark.written}`);
      return;
    }
    for (const inner of this.#open.splice(at + 1))
      if (inner.instruction.endsWithOuter === true) this.#end(inner, mark);
      else this.#report(inner.mark, 'Unclosed loop');
    const open = this.#open.pop();
    if (open !== undefined) this.#end(open, mark);
  }

  #end({ instruction, branches, mark }: Open, close: FoundMark): void {
    const block: Block = {
      kind: instruction.kind,
      variable: instruction.variable,
      key: instruction.key,
      unit: instruction.unit,
      branches,
      close,
      isList: instruction.isList === true,
      hasOtherwise: branches.length > 1 || this.#inverted.has(instruction.name),
    };
    this.#blocks.push({ at: this.#places.get(mark) ?? 0, block });
  }

  #report(mark: FoundMark, issue: string): void {
    const { story, written } = mark;
    this.#issues.push({ story, node: spanOf(mark).first, written, issue });
  }
}
