/** Signs of code and of markup, and what nobody sees. */
const CODE = /[;=<>"\\`|\p{Cc}]|:\s/u;
const GUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const NUMBER = /^\p{N}+(?:[._-]\p{N}+)*$/u;

/**
 * Whether what stands between braces looks like a name that somebody gave a field: it has a letter, or is a number, and
 * is neither a GUID nor code. People write names in any script, with blanks, dots, dashes, brackets and signs. Other text
 * can be filled all the same by who asks for it.
 */
export function isLikelyName(text: string): boolean {
  if (GUID.test(text) || CODE.test(text)) return false;
  return /\p{L}/u.test(text) || NUMBER.test(text);
}
