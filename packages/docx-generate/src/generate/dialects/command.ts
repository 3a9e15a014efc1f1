import type { Expression } from '@scriptorium/expressions/expression';
import type { Instruction } from '../instruction.ts';
import {
  attempt,
  type Dialect,
  expressionOf,
  meaningOf,
  notTaken,
  type Tag,
  TagError,
  type TagReading,
} from './dialect.ts';

/** The commands of docx-templates: `INS a.b`, `= a.b`, `FOR x IN xs` … `END-FOR x`, `IF c` … `END-IF`. */
export const command: Dialect = {
  syntax: 'command',
  read(tags) {
    const aliases = new Map<string, string>();
    return tags.map((tag) => readTag(tag, aliases));
  },
};

const LOOP = /^\$?([\p{L}_][\p{L}\p{N}_$]*)\s+IN\s+([\s\S]+)$/iu;
const ALIAS = /^(\S+)\s+([\s\S]+)$/;
const COMMAND =
  /^(QUERY|CMD_NODE|ALIAS|FOR|END-FOR|IF|END-IF|INS|EXEC|IMAGE|LINK|HTML)(?![\w-])\s*([\s\S]*)$/i;
const RECORD = /^\(\s*\{[\s\S]*\}\s*\)\s*;?\s*$/;
/** An object or a function of JavaScript. */
const CODE = /^\(?\s*\{|=>/;

function readTag({ inner }: Tag, aliases: Map<string, string>): TagReading {
  return attempt(() => {
    const text = inner.trim();
    if (!text.startsWith('*')) return instructionOf(text, aliases);
    const whole = aliases.get(text.slice(1).trim());
    if (whole === undefined) throw new TagError('Unknown alias');
    return instructionOf(whole, new Map());
  });
}

function instructionOf(text: string, aliases: Map<string, string>): Instruction {
  if (text.startsWith('=')) return { type: 'value', expression: expressionOf(text.slice(1), 'command') };
  if (text.startsWith('!')) throw code('EXEC');
  const [, written = 'INS', rest = text] = COMMAND.exec(text) ?? [];
  const name = written.toUpperCase();
  switch (name) {
    case 'FOR':
      return loopOf(rest);
    case 'IF':
      return { type: 'open', kind: 'if', name: '', expression: expressionOf(rest, 'command') };
    case 'END-FOR':
      return { type: 'close', name: rest.trim(), kind: 'for' };
    case 'END-IF':
      return { type: 'close', name: '', kind: 'if' };
    case 'IMAGE':
    case 'HTML':
    case 'LINK':
      return readValue(name, rest);
    case 'ALIAS':
      return aliasOf(rest, aliases);
    case 'QUERY':
      // Its result is the data.
      return { type: 'comment' };
    case 'EXEC':
    case 'CMD_NODE':
      throw code(name);
    default:
      return { type: 'value', expression: expressionOf(rest, 'command') };
  }
}

function code(name: string): TagError {
  return notTaken(`${name} runs code, which`, 'put its result into the data');
}

function readValue(name: string, path: string): Instruction {
  if (name === 'LINK' && RECORD.test(path)) return { type: 'value', expression: linkOf(path) };
  if (CODE.test(path))
    throw notTaken(`${name} with code`, `put the value into the data and write “${name} name”`);
  const expression = expressionOf(path, 'command');
  if (name === 'LINK') return { type: 'value', expression };
  return { type: 'value', expression, as: name === 'IMAGE' ? 'image' : 'markup' };
}

/** `({ url: a, label: b })` as a link of the data. */
function linkOf(written: string): Expression {
  const record = meaningOf(expressionOf(written.replace(/;\s*$/, ''), 'command'));
  if (record.kind !== 'record') throw new TagError('A link is written “LINK ({ url: a, label: b })”');
  const names = new Map([
    ['url', 'href'],
    ['label', 'text'],
  ]);
  const entries = record.entries.map(([name, value]) => [names.get(name) ?? name, value] as const);
  return { kind: 'record', entries: [['$link', { kind: 'record', entries }]] };
}

function loopOf(text: string): Instruction {
  const [, name, over = ''] = LOOP.exec(text) ?? [];
  if (name === undefined) throw new TagError('Invalid FOR command: it is written “FOR item IN items”');
  return { type: 'open', kind: 'for', name, variable: `$${name}`, expression: expressionOf(over, 'command') };
}

function aliasOf(text: string, aliases: Map<string, string>): Instruction {
  const [, name, whole] = ALIAS.exec(text) ?? [];
  if (name === undefined || whole === undefined) throw new TagError('Invalid ALIAS command');
  aliases.set(name, whole.trim());
  return { type: 'comment' };
}
