import { type Expression, parseExpression } from '@scriptorium/expressions/expression';
import type { As } from '../../values/value-kind.ts';
import type { Instruction } from '../instruction.ts';
import { attempt, type Dialect, notTaken, piped, type Tag, TagError, type TagReading } from './dialect.ts';
import { Switch } from './switch.ts';

/**
 * The tags of DocxTemplater for .NET: `{{a.b}:f(n2)}`, `{{#xs}}…{{.name}}{{:s:}}, {{/xs}}`, `{?{c}}…{{:}}…{{/}}`. Names
 * are compared without case.
 */
export const dotnet: Dialect = {
  syntax: 'dotnet',
  read(tags) {
    const reader = new Reader();
    return tags.map((tag): TagReading => attempt(() => reader.read(tag)));
  },
};

/** A formatter behind the brace that closes a name. */
const FORMATTED = /^([^{}]*)\}:\s*(\w+)\s*(?:\(([^{}]*)\))?$/;
const QUOTES = /^\s*["'“”„‘’]?|["'“”‘’]?\s*$/g;
const SWITCH = /^#\s*(switch|case|default|s|c|d)\s*(?::([\s\S]*))?$/i;
/** `@i:n` and `@n`. */
const COUNTED = /^@(?:([\p{L}_][\p{L}\p{N}_]*)\s*:)?([\s\S]+)$/u;
/** A text, or a path with the dots before it and the parenthesis of its last name. */
const TEXT_OR_PATH =
  /"[^"]*"|'[^']*'|“[^”]*”|‘[^’]*’|(?<![\p{L}\p{N}_)\]])(\.*)([\p{L}_][\p{L}\p{N}_]*(?:\??\.[\p{L}_][\p{L}\p{N}_]*)*)?(\s*\()?/gu;
const CONTAINS = /([\p{L}\p{N}_$.]{1,200})\.Contains\s*\(([^()]*)\)/gu;
const CONSTANTS = new Set(['true', 'false', 'null', 'and', 'or', 'not']);
const POSITIONS: ReadonlyMap<string, string> = new Map([
  ['_idx', 'loop.index'],
  ['_length', 'loop.length'],
]);
const PATTERNS: ReadonlyMap<string, string> = new Map([
  ['toshortdatestring', 'd'],
  ['tolongdatestring', 'D'],
  ['toshorttimestring', 't'],
]);
const KINDS: ReadonlyMap<string, As> = new Map([
  ['img', 'image'],
  ['image', 'image'],
  ['html', 'markup'],
  ['md', 'markdown'],
]);

/** An open loop by its name in small letters, or a condition. */
interface Open {
  name: string;
  variable: string;
}

class Reader {
  /** Outermost first. `case` is a branch of the switch around it. */
  readonly #open: (Open | Switch | 'case' | undefined)[] = [];

  read({ form, inner }: Tag): Instruction {
    if (form === 'comment') return { type: 'comment' };
    const text = inner.trim();
    const [, input, name = '', args = ''] = FORMATTED.exec(text) ?? [];
    if (input !== undefined) return this.#formatted(input.trim(), name.toLowerCase(), args);
    switch (text.charAt(0)) {
      case '?':
        this.#open.push(undefined);
        return { type: 'open', kind: 'if', name: '', expression: this.#expression(text.slice(1)) };
      case '#':
        return this.#loop(text);
      case '/':
        return this.#close();
      case ':':
        return keyword(text.toLowerCase());
      case '@':
        return this.#counted(text);
      default:
        return { type: 'value', expression: this.#expression(text) };
    }
  }

  #close(): Instruction {
    const open = this.#open.pop();
    if (open === 'case') return { type: 'comment' };
    return open instanceof Switch ? open.end() : { type: 'close', name: '' };
  }

  /** A loop over the numbers below another, or below the length of a list. */
  #counted(text: string): Instruction {
    const [, variable = 'Index', written = ''] = COUNTED.exec(text) ?? [];
    this.#open.push({ name: '', variable });
    return {
      type: 'open',
      kind: 'for',
      name: '',
      variable,
      expression: piped(this.#expression(written), 'range'),
    };
  }

  /** `#switch: a`, `#case: 1` and `#default`. A case ends the case before it. */
  #choice(what: string, written: string): Instruction {
    if (/^s/i.test(what)) {
      this.#open.push(new Switch(this.#expression(written)));
      return { type: 'comment' };
    }
    if (this.#open.at(-1) === 'case') this.#open.pop();
    const choice = this.#open.at(-1);
    if (!(choice instanceof Switch)) throw new TagError('A case must stand in a switch');
    this.#open.push('case');
    return /^c/i.test(what) ? choice.when([this.#expression(written)]) : choice.otherwise();
  }

  #loop(text: string): Instruction {
    const [, what, value = ''] = SWITCH.exec(text) ?? [];
    if (what !== undefined) return this.#choice(what, value);
    const written = text.slice(1).trim();
    const expression = this.#expression(written);
    const variable = `$item${this.#open.length}`;
    this.#open.push({ name: written.replace(/^\.+/, '').toLowerCase(), variable });
    return { type: 'open', kind: 'for', name: '', variable, expression };
  }

  #formatted(input: string, name: string, args: string): Instruction {
    const as = KINDS.get(name);
    if (as !== undefined) return { type: 'value', expression: this.#expression(input), as };
    const [argument = '', ...others] = args.split(',').map((part) => part.replace(QUOTES, ''));
    if (/^t(?:emplate)?$/.test(name) && others.length === 0)
      return { type: 'value', expression: this.#expression(argument) };
    if (name === 'toupper' || name === 'tolower')
      return { type: 'value', expression: this.#expression(`(${input}) | ${name.slice(2)}`) };
    const isFormat = name === 'f' || name === 'format';
    const pattern = isFormat ? args.replace(QUOTES, '') : PATTERNS.get(name);
    if (pattern === undefined)
      throw notTaken(`The formatter “${name}”`, 'use ToUpper, ToLower, F, img, html, md or template');
    const quoted = JSON.stringify(pattern);
    return { type: 'value', expression: this.#expression(`(${input}) | netFormat(${quoted})`) };
  }

  #expression(text: string): Expression {
    if (text.trim() === '') throw new TagError('Empty tag');
    const plain = text.replace(TEXT_OR_PATH, (found, dots, path, call = '') => {
      if (dots === undefined || found === '') return found;
      if (dots === '' && (path === undefined || CONSTANTS.has(path))) return found;
      if (call !== '' && dots === '' && !path.includes('.')) return found;
      return this.#path(dots.length, path ?? '') + call;
    });
    const methods = plain
      .replace(/\.To(Upper|Lower)\s*\(/gi, (_, name: string) => `.${name.toLowerCase()}(`)
      .replace(CONTAINS, '($2 in $1)')
      .replace(/\??\.ToString\s*\(\s*\)/gi, '')
      .replace(/\.(?:Count|Length)\b(?!\s*\()/g, '.length');
    return parseExpression(methods.trim(), { syntax: 'dotnet', isLoose: true });
  }

  /** A path from the variable of the loop that it names. */
  #path(dots: number, path: string): string {
    const loops = this.#open.filter((open) => typeof open === 'object' && 'variable' in open);
    const own = dots > 0 ? loops.at(-dots) : loops.findLast(({ name }) => restOf(path, name) !== undefined);
    const rest = dots > 0 ? path : ((own && restOf(path, own.name)) ?? path);
    const position = POSITIONS.get(rest.toLowerCase());
    if (position === undefined) return [own?.variable, rest].filter(Boolean).join('.') || '.';
    if (own === undefined || own !== loops.at(-1))
      throw notTaken('The position in an outer loop', 'put it into the data');
    return position;
  }
}

/** What a path has behind the name of a loop, which may lack the name of the model. */
function restOf(path: string, loop: string): string | undefined {
  const lower = path.toLowerCase();
  const names = [loop, loop.slice(loop.indexOf('.') + 1)];
  const name = names.find((own) => lower === own || lower.startsWith(`${own}.`));
  return name === undefined ? undefined : path.slice(name.length + 1);
}

function keyword(text: string): Instruction {
  switch (text) {
    case ':':
      return { type: 'else' };
    case ':s:':
      return {
        type: 'open',
        kind: 'if',
        name: '',
        expression: parseExpression('_has_next', { syntax: 'dotnet' }),
        endsWithOuter: true,
      };
    case ':break':
      return { type: 'value', expression: { kind: 'literal', value: '\n' } };
    case ':pagebreak':
      return { type: 'value', expression: { kind: 'literal', value: { $pageBreak: true } } };
    default:
      throw notTaken(`{{${text}}}`, 'remove it');
  }
}
