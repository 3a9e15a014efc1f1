/** Maximum length of the media type and parameters of a data URI, before the comma. */
const HEAD_CHARS_MAX = 200;

export const BASE64_ISSUE = 'is not base64 (RFC 4648 §4, padded, without line breaks)';

/** A parsed data URI (RFC 2397). The payload is not decoded. */
export interface DataUri {
  /** In lower case. Empty if the URI has none. */
  mediaType: string;
  isBase64: boolean;
  payload: string;
}

/** Returns null for a text that does not begin as a data URI. The payload is not checked. */
export function parseDataUri(text: string): DataUri | null {
  const head = text.slice(0, HEAD_CHARS_MAX).toLowerCase();
  const comma = head.indexOf(',');
  if (!head.startsWith('data:') || comma < 0) return null;
  const [mediaType = '', ...parameters] = head.slice('data:'.length, comma).split(';');
  return {
    mediaType: mediaType.trim(),
    isBase64: parameters.at(-1)?.trim() === 'base64',
    payload: text.slice(comma + 1),
  };
}

/** Returns the number of bytes that a base64 text encodes, computed from its length. */
export function decodedBytes(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : Number(base64.endsWith('='));
  return Math.floor(base64.length / 4) * 3 - padding;
}

/**
 * Returns null for anything except the standard alphabet with padding. Node's decoder skips unknown characters, so the
 * decoded length reveals them. The decoder also accepts the URL-safe alphabet, so that is rejected first.
 */
export function decodeBase64(base64: string): Buffer | null {
  if (base64.length % 4 !== 0 || base64.includes('-') || base64.includes('_')) return null;
  const bytes = Buffer.from(base64, 'base64');
  return bytes.length === decodedBytes(base64) ? bytes : null;
}
