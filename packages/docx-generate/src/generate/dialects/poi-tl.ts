import type { Instruction } from '../instruction.ts';
import { type Dialect, expressionOf, notTaken, readEach, type Tag } from './dialect.ts';

/** The tags of poi-tl: `{{a.b}}`, `{{?xs}}…{{/xs}}`, `{{@picture}}`, `{{*list}}`, `{{#table}}`, `{{=#this}}`, and `[name]` in a row. */
export const poiTl: Dialect = {
  syntax: 'poi-tl',
  read: (tags) => readEach(tags, instructionOf),
};

/** Statements of MiniWord, which shares the delimiters. */
const MINI_WORD = /^(?:foreach\b|if\s*\(|endif\b|endforeach\b)/;

function instructionOf({ form, inner }: Tag): Instruction {
  if (form === 'comment') return { type: 'comment' };
  const text = inner.trim();
  if (MINI_WORD.test(text)) throw notTaken('A condition or loop of MiniWord', 'use {{?name}}…{{/name}}');
  const rest = text.slice(1).trim();
  if (form === 'row') return { type: 'value', expression: pathOf(text), isOfRow: true };
  switch (text[0]) {
    case '?':
      return { type: 'open', kind: 'section', name: rest, expression: pathOf(rest) };
    case '/':
      return { type: 'close', name: rest };
    case '@':
      return { type: 'value', expression: pathOf(rest), as: 'image' };
    case '=':
    case '+':
      return { type: 'value', expression: pathOf(rest) };
    case '#':
      return { type: 'value', expression: pathOf(rest), as: 'table' };
    case '*':
      return { type: 'value', expression: pathOf(rest), as: 'list' };
    default:
      return { type: 'value', expression: pathOf(text) };
  }
}

/** `#this` is the value itself. */
function pathOf(text: string) {
  return expressionOf(text === '#this' ? '.' : text.replace(/^#this\./, ''), 'poi-tl');
}
