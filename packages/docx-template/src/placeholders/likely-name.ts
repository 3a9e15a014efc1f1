/** Characters of code and markup, and control characters. */
const CODE = /[;=<>"\\`|\p{Cc}]|:\s/u;
const GUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
/** Loops, conditions, closing tags and statements of template languages. */
const CONTROL_TAG = /^(?:[#/^%?:]|FOR\s+\S+\s+IN\s|IF\s|END-(?:FOR|IF)\b)/;
const NUMBER = /^\p{N}+(?:[._-]\p{N}+)*$/u;

/**
 * Whether text between braces looks like a field name. It has a letter, or is a number. It is not a GUID, code or a control tag
 * such as `{#items}` or `{% if paid %}`. Names may be in any script, with spaces, dots, dashes, brackets and signs. Other text
 * can still be filled on request.
 *
 * @example
 * isLikelyName('first name') // true
 * isLikelyName('#items') // false
 */
export function isLikelyName(text: string): boolean {
  if (GUID.test(text) || CODE.test(text) || CONTROL_TAG.test(text)) return false;
  return /\p{L}/u.test(text) || NUMBER.test(text);
}
