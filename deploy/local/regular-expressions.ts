import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseSync } from 'oxc-parser';
import { analyse } from 'scslre';

/** A regular expression of the product. */
export interface WrittenExpression {
  file: string;
  source: string;
  flags: string;
}

interface Found {
  literals: WrittenExpression[];
  /** Files that make expressions of texts, each time with the argument. */
  made: { file: string; argument: string }[];
}

const SOURCES = ['packages/*/src/*.ts', 'services/*/src/*.ts', 'shared/src/*.ts'];
const MAY_HOLD_ONE = /[=(,:[!&|?{};\n]\s*\/[^/*\n]|RegExp/;

/** All regular expressions in the sources of packages, services and `shared`. */
export function expressionsIn(root: string): Found {
  const files = execFileSync('git', ['ls-files', '--', ...SOURCES], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((file) => file !== '' && !file.startsWith('packages/testing/'));
  const found: Found = { literals: [], made: [] };
  for (const file of files) {
    const text = readFileSync(`${root}/${file}`, 'utf8');
    if (MAY_HOLD_ONE.test(text)) collect(parseSync(file, text).program, { file, text }, found);
  }
  return found;
}

type Node = Readonly<Record<string, unknown>>;

function collect(node: unknown, at: { file: string; text: string }, found: Found): void {
  if (typeof node !== 'object' || node === null) return;
  const { type, regex, callee, arguments: given } = node as Node;
  if (type === 'Literal' && regex) {
    const { pattern, flags } = regex as { pattern: string; flags: string };
    found.literals.push({ file: at.file, source: pattern, flags });
  }
  const isCall = type === 'NewExpression' || type === 'CallExpression';
  if (isCall && (callee as Node).name === 'RegExp') {
    const { start, end } = (given as { start: number; end: number }[])[0] ?? { start: 0, end: 0 };
    found.made.push({ file: at.file, argument: at.text.slice(start, end).replace(/\s+/g, ' ') });
  }
  for (const value of Object.values(node)) collect(value, at, found);
}

/**
 * Whether the time of an expression may grow faster than its text. Only texts that repeat one character are considered, which
 * most such expressions have.
 */
export function isSuperLinear({ source, flags }: WrittenExpression): boolean {
  return (
    analyse({ source, flags }, { reportTypes: { Move: true, Self: true, Trade: true } }).reports.length > 0
  );
}
