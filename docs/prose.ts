const WORDS_MAX = 25;

/** Words that stand for a plainer one: docs/contributing/style.md lists what to write in their place. */
const UNWANTED: readonly RegExp[] = [
  /\b(he|him|his|she|hers)\b/i,
  /\b(nobody|somebody|whoever|whomever)\b/i,
  /\b(tell|tells|told)\b/i,
  /\b(is|are|was|were) no\b(?! longer)/i,
  /^Of\b/,
];

/** A sentence of a document that breaks a rule of the language, and which one. */
export interface Lapse {
  line: number;
  rule: string;
  sentence: string;
}

/** Every sentence of a Markdown text that is too long for one idea, or uses a word that it should not. */
export function lapsesIn(markdown: string): Lapse[] {
  return sentencesOf(markdown).flatMap(({ line, sentence }) => {
    const words = sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
    const rules = UNWANTED.filter((pattern) => pattern.test(sentence)).map(
      (pattern) => `matches ${pattern.source}`,
    );
    if (words > WORDS_MAX) rules.push(`${words} words; at most ${WORDS_MAX}`);
    return rules.map((rule) => ({ line, rule, sentence }));
  });
}

interface Sentence {
  line: number;
  sentence: string;
}

/** The sentences of paragraphs, list entries and table cells; code, headings and comments are left out. */
function sentencesOf(markdown: string): Sentence[] {
  const blocks: { line: number; text: string }[] = [];
  let isCode = false;
  let isOpen = false;
  markdown.split('\n').forEach((text, index) => {
    if (/^\s*```/.test(text)) isCode = !isCode;
    const isSkipped = isCode || /^(\s*```|#|<!--|\s*$)/.test(text);
    const line = index + 1;
    const last = blocks.at(-1);
    if (isSkipped) isOpen = false;
    else if (text.startsWith('|')) {
      // A cell may hold `\|` within its code.
      for (const cell of text.split(/(?<!\\)\|/)) blocks.push({ line, text: cell });
      isOpen = false;
    } else if (isOpen && last && !/^\s*([-*]|\d+\.) /.test(text)) last.text += ` ${text.trim()}`;
    else {
      blocks.push({ line, text: text.replace(/^\s*([-*]|\d+\.|>) /, '') });
      isOpen = true;
    }
  });
  return blocks.flatMap(({ line, text }) =>
    plain(text)
      .split(/(?<=[.!?]["”)]?) +(?=["“(]?[\p{Lu}\p{N}])/u)
      .map((sentence) => ({ line, sentence: sentence.trim() })),
  );
}

/** Without what is not read aloud: code counts as one word, a link as its text. */
function plain(markdown: string): string {
  return markdown
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/`[^`]*`/g, 'Code')
    .replace(/<[^>]*>/g, '')
    .replaceAll('**', '');
}

/**
 * The comments of a source, each at its line, for `lapsesIn`: those behind `//` and `#`, and in blocks. Examples are left out, and
 * so are indented lines and lines with wide gaps, such as commands and tables.
 */
export function commentsIn(source: string): string {
  let isBlock = false;
  let isExample = false;
  const commentOf = (line: string): string => {
    const opening = isBlock ? null : /^\s*\{?\/\*+(.*)/.exec(line);
    if (opening) isExample = false;
    if (!isBlock && !opening) return lineComment(line);
    const [text = '', ...after] = (opening?.[1] ?? line.replace(/^\s*\*(?!\/)/, '')).split('*/');
    isBlock = after.length === 0;
    isExample ||= text.includes('@example');
    return isExample || /^ {4}|\S {3}/.test(text) ? '' : text.replace(/^ /, '').replace(/^@/, '- @');
  };
  return source.split('\n').map(commentOf).join('\n');
}

/** A comment behind code is a block of its own. */
function lineComment(line: string): string {
  const [, own, behind] =
    /^\s*(?:\/\/|#(?= ))(.*)|^(?:[^'"`/]|\/(?!\/)|'[^']*'|"[^"]*"|`[^`]*`)*\/\/ (.*)/.exec(line) ?? [];
  if (behind !== undefined) return `- ${behind}`;
  return own === undefined || / {3}/.test(own) ? '' : own.replace(/^ /, '');
}

const LITERAL = /'([A-Z“`](?:[^'\\\n]|\\.)*)'|`([A-Z“](?:[^`\\]|\\.)*)`/g;
const SQL = /^(?:SELECT|INSERT|UPDATE|DELETE|WITH)\b/;

/** What a source may write for people, such as messages: its literals of several words that begin with a capital. */
export function textsIn(source: string): string[] {
  return [...source.replace(/(['`])\s*\+\s*\1/g, '').matchAll(LITERAL)]
    .map(([, quoted, template]) => quoted ?? template ?? '')
    .filter((text) => / [a-z]{2}/.test(text) && !SQL.test(text))
    .map((text) =>
      text
        .replace(/\$\{[^}]*\}/g, 'X')
        .replaceAll('\\n', ' ')
        .replaceAll('\\', ''),
    );
}
