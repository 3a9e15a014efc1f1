/** Longest head of a data URI: media type and parameters, before the comma. */
const HEAD_CHARS_MAX = 200;

export const BASE64_ISSUE = 'is not base64 (RFC 4648 §4, padded, without line breaks)';

/** A data URI taken apart (RFC 2397), its bytes still in base64. */
export interface DataUri {
  /** In lower case; empty where the URI names none. */
  mediaType: string;
  isBase64: boolean;
  payload: string;
}

/** Null for what does not begin as a data URI. The payload is not looked at. */
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

/** Bytes that a text of base64 stands for, by its length alone. */
export function decodedBytes(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : Number(base64.endsWith('='));
  return Math.floor(base64.length / 4) * 3 - padding;
}

/**
 * Null for anything but the standard alphabet with its padding. Node's decoder skips what it does not know, so a
 * foreign character shows in the length; it takes the URL-safe alphabet too, which this does not.
 */
export function decodeBase64(base64: string): Buffer | null {
  if (base64.length % 4 !== 0 || base64.includes('-') || base64.includes('_')) return null;
  const bytes = Buffer.from(base64, 'base64');
  return bytes.length === decodedBytes(base64) ? bytes : null;
}
