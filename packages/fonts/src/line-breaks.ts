/** Scripts that do not write spaces between words. */
const UNSPACED = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const STARTS_WORD = /^[\p{L}\p{N}\p{S}]/u;

const words = new Intl.Segmenter('th', { granularity: 'word' });

/**
 * Splits a text without spaces into the parts between which a line may break. These are the words of Thai, Lao, Khmer and
 * Burmese, found by the dictionaries of ICU, each with the marks after it. Returns other texts whole.
 *
 * @example
 * breakUnspaced('สวัสดีครับ') // ['สวัสดี', 'ครับ']
 */
export function breakUnspaced(text: string): string[] {
  if (!UNSPACED.test(text)) return [text];
  const parts: string[] = [];
  let canBreak = false;
  for (const { segment } of words.segment(text)) {
    const startsWord = STARTS_WORD.test(segment);
    if (parts.length > 0 && !(canBreak && startsWord)) parts[parts.length - 1] += segment;
    else parts.push(segment);
    canBreak = UNSPACED.test(segment) || !startsWord;
  }
  return parts;
}
