import type { Expression } from '@scriptorium/expressions/expression';
import type { Instruction } from '../instruction.ts';
import { constantOr } from './dialect.ts';

/** A choice by a value, as the branches of one condition: `{% case x %}{% when 1 %}…{% else %}…{% endcase %}`. */
export class Switch {
  readonly #value: Expression;
  #isBegun = false;

  constructor(value: Expression) {
    this.#value = value;
  }

  /** A branch for some values. */
  when(values: readonly Expression[]): Instruction {
    const tests = values.map((value): Expression => {
      const right = constantOr(value);
      return { kind: 'comparison', operator: '==', left: this.#value, right };
    });
    return this.#branch(tests.reduce((left, right) => ({ kind: 'or', left, right })));
  }

  /** The branch for other values. */
  otherwise(): Instruction {
    return this.#isBegun ? { type: 'else' } : this.#branch({ kind: 'literal', value: true });
  }

  end(): Instruction {
    return this.#isBegun ? { type: 'close', name: '', kind: 'if' } : { type: 'comment' };
  }

  #branch(expression: Expression): Instruction {
    if (this.#isBegun) return { type: 'else', expression };
    this.#isBegun = true;
    return { type: 'open', kind: 'if', name: '', expression };
  }
}
