/** Text of a document or certificate for people and logs: without what could act on whoever shows it, and no longer than this. */
export function plainText(text: string, charsMax: number): string {
  return text.replace(/\p{C}/gu, ' ').slice(0, charsMax);
}
