import { isLikelyName } from '@scriptorium/docx-template/template';
import { ExpressionError, parseExpression } from '@scriptorium/expressions/expression';
import { reads } from '@scriptorium/expressions/reads';

export const COMMAND = /^\s*(?:(?:INS|FOR|END-FOR|IF|END-IF|IMAGE|LINK|HTML|QUERY|EXEC|ALIAS)\b|[=!*$])/i;
const COMMAND_PATH = /^\s*[\p{L}_][\p{L}\p{N}_.[\]]*(?:\s*\(.*\))?\s*$/u;
export const PATH_CHARS_MAX = 200;
export const CARBONE = /^\s*[cd]\s*[.[:]/;
export const CARBONE_ONLY = /^\s*(?:t\s*\(|[#$])/;
/** The definition of an alias of Carbone, and its use. */
export const ALIAS = /^\s*#\w+(?:\([^()]*\))?\s*=\s*[dc]\s*[.[]/;
export const ALIAS_USE = /^\s*\$\w+(?:\([^()]*\))?(?:\s*[.:[]|\s*$)/;
/** A translation, a binding or an option of Carbone. */
export const TRANSLATION = /^\s*(?:t\s*\(|o\.\w+\s*=|bind\w+\s*\()/;
/** What only poi-tl writes in double braces. A table `{{#x}}` looks as an open section does. */
export const POI_TL = /^\s*(?:[?*+@]|=\s*#)/;
export const CURLY =
  /^\s*(?:\^|%|~|-\w+:|:include\s|[\p{L}_][\p{L}\p{N}_.]*\s*\[\s*[A-Za-z]\w*\s*:\s*(?:["'“‘\d]|true|false))/u;
export const SIGIL = /^\s*(?:[?*+@=#/^%~]|-\w+:)/;
export const MINI_WORD = /^\s*(?:foreach\b|if\s*\()/;
export const SECTION = /^\s*[#^](.*)$/s;
export const CLOSE = /^\s*\/(.*)$/s;
const PICTURE = /^\s*(?:%%?|~~?)\s*[\p{L}_][\p{L}\p{N}_.]*\s*$/u;
const FORMATTED = /^\s*[\p{L}_.$][\p{L}\p{N}_.$[\]]*\s*\|\s*\w+/u;
/** A quoted text, or an operator that no name has. */
const EXPRESSION = /["'“”„‟«»‘’‚‛`‹›]|[=<>|?]/;
/** A function of JavaScript, which is a mistake in every language. */
const ARROW = /[\p{L}_)]\s*=>/u;
export const GUID = /^\s*[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\s*$/i;
/** A name of Salesforce: `!Account.Name`. */
const SALESFORCE = /^!(?=[\p{L}_$])/u;
/** What follows a delimiter that begins a mark: another paragraph ends it, or a brace is in its text. */
export const BEGINS_MARK: Readonly<Record<string, RegExp>> = {
  '{': /^\s*`/,
  '{{': /^\s*(?:[?#^@/%~]\s*)?[\p{L}_]/u,
  '{%': /^-?(?:(?:tr|tc|p|r)\s)?\s*(?:for|if|elif|else|endfor|endif)\b/,
};
/** What a mark with a dollar sign before its brace begins with. */
export const AFTER_DOLLAR = /^\s*(?:[?@/]\s*)?[\p{L}_]/u;
/** A comment of Mustache in double braces. */
export const NOTE = /^!/;
const THIS = /^\s*(?:\.|\$\w+)\s*$/;

/** Whether the text of a mark shows data: a name, a picture, a formatter, the value of the scope or an expression. */
export function isValue(inner: string): boolean {
  const text = inner.trim().replace(SALESFORCE, '');
  const isShort = text.length <= PATH_CHARS_MAX;
  if (isShort && (isLikelyName(text) || [PICTURE, FORMATTED, THIS].some((form) => form.test(text))))
    return true;
  return ARROW.test(text) || (EXPRESSION.test(text) && isExpression(text));
}

function isExpression(text: string): boolean {
  try {
    return reads(parseExpression(text)).some(({ isOfLoop }) => !isOfLoop);
  } catch (error) {
    if (error instanceof ExpressionError) return false;
    throw error;
  }
}

/** Whether texts between `+++` are commands. */
export function hasPlusCommands(text: string): boolean {
  if (!text.includes('+++')) return false;
  const parts = text.split('+++');
  const isCommand = (inner: string) =>
    COMMAND.test(inner) || (inner.length <= PATH_CHARS_MAX && COMMAND_PATH.test(inner));
  if (parts.length === 2) return COMMAND.test(parts[1] ?? '');
  return parts.some((part, index) => index % 2 === 1 && index < parts.length - 1 && isCommand(part));
}
