import { FORBIDDEN_CHARACTER, FORBIDDEN_CHARACTERS } from '@scriptorium/ooxml/xml';
import { z } from 'zod';

/** Longest value of one field or cell, in bytes of UTF-8. */
const VALUE_BYTES_MAX = 1024 * 1024;

const LONE_SURROGATE = /\p{Surrogate}/u;
/** Includes surrogates. Text without these needs no slower check. */
const DOUBTFUL = new RegExp(`[${FORBIDDEN_CHARACTERS}\\ud800-\\udfff]`);
/** UTF-8 takes at most three bytes for a code unit. */
const SHORT_CHARS_MAX = VALUE_BYTES_MAX / 3;

/**
 * `xmlText` as JSON Schema, which counts characters instead of bytes. For ASCII both are equal. The pattern is for the
 * `u` flag, as in JSON Schema.
 */
const schemaWithout = (characters: string) =>
  ({ pattern: `^[^${characters}\\ud800-\\udfff]*$`, maxLength: VALUE_BYTES_MAX }) as const;
const XML_TEXT_SCHEMA = schemaWithout(FORBIDDEN_CHARACTERS);
/** The same for text that may also contain U+000B, which becomes a line break. */
export const VALUE_TEXT_SCHEMA = schemaWithout(FORBIDDEN_CHARACTERS.replace('\\u000b', ''));

/** A string that a document can contain: only characters that XML allows, and within the bound of a value. */
export const xmlText = checked(xmlTextIssue).meta(XML_TEXT_SCHEMA);

/** The text of a field: the same, and U+000B, which becomes a line break. */
export const valueText = checked(valueTextIssue).meta(VALUE_TEXT_SCHEMA);

function checked(issueOf: (text: string) => string | null) {
  return z.string().superRefine((text, context) => {
    const issue = issueOf(text);
    if (issue !== null) context.addIssue({ code: 'custom', message: issue });
  });
}

/** The same with a bounded number of characters (UTF-16 code units). */
export const xmlTextOf = (charsMin: number, charsMax: number) =>
  xmlText
    .refine((text) => text.length >= charsMin && text.length <= charsMax, {
      error: `must have ${charsMin} to ${charsMax} characters`,
    })
    .meta({ minLength: charsMin, maxLength: charsMax });

/** The reason why a field cannot have the text, or null. */
export function valueTextIssue(text: string): string | null {
  return xmlTextIssue(text.includes('\v') ? text.replaceAll('\v', '\n') : text);
}

/** The reason why a document cannot contain the text, or null. */
function xmlTextIssue(text: string): string | null {
  if (text.length <= SHORT_CHARS_MAX && !DOUBTFUL.test(text)) return null;
  if (Buffer.byteLength(text) > VALUE_BYTES_MAX) return `may have at most ${VALUE_BYTES_MAX} bytes`;
  const at = text.search(text.isWellFormed() ? FORBIDDEN_CHARACTER : LONE_SURROGATE);
  if (at < 0) return null;
  const code = text.charCodeAt(at).toString(16).toUpperCase().padStart(4, '0');
  return `holds U+${code} at position ${at}, a character that XML cannot carry`;
}
