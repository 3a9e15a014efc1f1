/** Longer texts are rare, and the texts of a row are bounded by this. */
const CHARS_MAX = 10_000;
/**
 * Control and format characters, line and paragraph separators, lone surrogates, private and unassigned characters, and
 * those that stand for objects or for unknown characters.
 */
const UNUSUAL = /[\p{C}\p{Zl}\p{Zp}\u{FFFC}\u{FFFD}]/u;
/** Scripts from right to left, on which the direction of the text around them depends. */
const RIGHT_TO_LEFT =
  /[\u{590}-\u{8FF}\u{FB1D}-\u{FDFF}\u{FE70}-\u{FEFE}\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;
const ASCII = /^[ -~]*$/;

/** Whether a text has the same effect as a new text of a loaded run as in the file. */
export function isSimple(text: string): boolean {
  if (text.length > CHARS_MAX) return false;
  return ASCII.test(text) || !(UNUSUAL.test(text) || RIGHT_TO_LEFT.test(text));
}
