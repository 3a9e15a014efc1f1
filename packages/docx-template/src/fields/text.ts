import { escapeXml } from '@scriptorium/ooxml/xml';
import type { Dialect } from '../template/dialect.ts';
import type { Content } from './content.ts';

const LINE_END = /\r\n|[\r\n]/;
/** What Word copies for a line break within a paragraph. XML does not allow it. */
const LINE_BREAK = '\v';
/** Below it, XML allows only the tab and the line feed. */
const RETURN = 13;
/** Approximate characters of a tab or line break, including the start of the text after it. */
export const BREAK_CHARS = 60;

export function linesOf(text: string): string[] {
  return text.split(LINE_END);
}

/** Number of characters that become elements: line ends, line breaks and tabs. */
export function breaksIn(text: string): number {
  let breaks = 0;
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) <= RETURN) breaks++;
  return breaks;
}

/**
 * A text as runs with these properties (an element or empty). Tabs become `w:tab`. Line ends become `w:br`, or new
 * paragraphs where these are allowed, unless there must be one paragraph.
 */
export function textContent(
  value: string,
  style: string,
  dialect: Dialect,
  isOneParagraph: boolean,
): Content {
  const lines = linesOf(value);
  return {
    inline: (isInRun) => (isInRun ? runText(lines, dialect) : run(lines, style, dialect)),
    block(paragraph) {
      if (isOneParagraph) return paragraph(run(lines, style, dialect));
      return lines.map((line) => paragraph(line === '' ? '' : run([line], style, dialect))).join('');
    },
  };
}

/** One run with all lines. */
export function run(lines: readonly string[], style: string, dialect: Dialect): string {
  return dialect.element('r', {}, style + runText(lines, dialect));
}

function runText(lines: readonly string[], dialect: Dialect): string {
  return lines.map((line) => lineText(line, dialect)).join(dialect.element('br'));
}

function lineText(line: string, dialect: Dialect): string {
  if (line.includes(LINE_BREAK)) return runText(line.split(LINE_BREAK), dialect);
  return line
    .split('\t')
    .map((piece) => (piece === '' ? '' : textElement(escapeXml(piece), dialect)))
    .join(dialect.element('tab'));
}

/** `w:t` with text that is already XML. */
export function textElement(source: string, dialect: Dialect): string {
  const element = dialect.element('t', {}, source);
  return element.replace('>', ' xml:space="preserve">');
}
