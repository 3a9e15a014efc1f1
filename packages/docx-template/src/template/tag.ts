/** The data in a content control's `w:tag` that is a JSON object. Template builders write such tags. */
export type TagData = ReadonlyMap<string, string>;

const TAG_CHARS_MAX = 100_000;

/** The string, number and boolean members of a tag's JSON object, as text. Undefined for any other tag. */
export function readTag(tag: string): TagData | undefined {
  if (!tag.trimStart().startsWith('{') || tag.length > TAG_CHARS_MAX) return undefined;
  let data: unknown;
  try {
    data = JSON.parse(tag);
  } catch {
    return undefined;
  }
  if (typeof data !== 'object' || data === null) return undefined;
  const texts = new Map<string, string>();
  for (const [key, value] of Object.entries(data))
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      texts.set(key, String(value));
  return texts;
}
