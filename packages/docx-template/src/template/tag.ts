/** What a content control's `w:tag` says, where it holds a JSON object (template builders write such tags). */
export type TagData = ReadonlyMap<string, string>;

const TAG_CHARS_MAX = 100_000;

/** The members of a tag's JSON object that are strings, numbers or booleans, as text; undefined for any other tag. */
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
