import type { Instruction } from '../instruction.ts';
import { expressionOf, notTaken } from './dialect.ts';

const NAME = '[\\p{L}_][\\p{L}\\p{N}_.]*';
const VALUE = new RegExp(`^=\\s*(${NAME})\\s*(\\\\[\\s\\S]*)?$`, 'u');
const MARK = new RegExp(
  `^=?(${NAME}):(each|endEach|if|unless|elsif|else|endIf|endUnless)(?:\\(([^()]*)\\))?\\s*(?:\\\\[\\s\\S]*)?$`,
  'u',
);
const PICTURE = /^@[\w.]+:(?:start|end)\b/;

/** A merge field of Sablon: `=a.b`, `xs:each(x)` … `xs:endEach`, `c:if` … `c:endIf`. Undefined for all others. */
export function readSablon(text: string): Instruction | undefined {
  const [, value, switches = ''] = VALUE.exec(text) ?? [];
  if (value !== undefined) return { type: 'value', expression: expressionOf(value + switches, 'word') };
  if (PICTURE.test(text))
    throw notTaken('A picture of Sablon', 'use a picture whose alternative text is {%name}');
  const [, name = '', what, inside = ''] = MARK.exec(text) ?? [];
  switch (what) {
    case undefined:
      return undefined;
    case 'each':
      return {
        type: 'open',
        kind: 'for',
        name: '',
        variable: inside.trim(),
        expression: expressionOf(name, 'word'),
      };
    case 'endEach':
      return { type: 'close', name: '', kind: 'for' };
    case 'else':
      return { type: 'else' };
    case 'endIf':
    case 'endUnless':
      return { type: 'close', name: '', kind: 'if' };
    default: {
      const condition = conditionOf(name, inside.trim());
      const expression = expressionOf(what === 'unless' ? `!(${condition})` : condition, 'command');
      return what === 'elsif'
        ? { type: 'else', expression }
        : { type: 'open', kind: 'if', name: '', expression };
    }
  }
}

/** A condition by a sign (`!`), a comparison (`=='x'`) or a property (`is_open?`). */
function conditionOf(name: string, test: string): string {
  if (test === '') return name;
  if (test === '!') return `!${name}`;
  if (/^(?:any|present)\?$/.test(test)) return name;
  if (/^(?:empty|blank|nil|none)\?$/.test(test)) return `!${name}`;
  return /^[=!<>]/.test(test) ? `${name} ${test}` : `${name}.${test.replace(/\?$/, '')}`;
}
