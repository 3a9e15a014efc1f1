import { SignatureError } from '../signature-error.ts';

/** What a signature is to say beside what it covers. */
export interface DocxStatement {
  signingTime: Date;
  /** Shown as the purpose of signing, at most 255 characters. */
  reason?: string;
  /** Who signs, as claimed. */
  identity?: { name: string };
}

/** Bounds of MS-OFFCRYPTO §2.5.2.5. */
const COMMENTS_CHARS_MAX = 255;
const TEXT_CHARS_MAX = 100;
const NO_CHARACTER = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

function refuse(field: string, issue: string): SignatureError {
  return new SignatureError('VALIDATION_ERROR', 'The signature cannot say what the request holds.', {
    details: [{ field, issue }],
  });
}

/**
 * The texts that Office shows of a signature. A long name is cut, for it is but a label: the certificate says who signed.
 * Throws SignatureError VALIDATION_ERROR.
 */
export function shownTexts({ reason = '', identity }: DocxStatement): { comments: string; text: string } {
  const name = identity?.name ?? '';
  for (const [field, value] of [
    ['reason', reason],
    ['signer.name', name],
  ] as const)
    if (NO_CHARACTER.test(value)) throw refuse(field, 'Holds a character that XML does not have.');
  if ([...reason].length > COMMENTS_CHARS_MAX)
    throw refuse('reason', `In a DOCX, at most ${COMMENTS_CHARS_MAX} characters.`);
  const characters = [...name];
  const isLong = characters.length > TEXT_CHARS_MAX;
  return { comments: reason, text: isLong ? `${characters.slice(0, TEXT_CHARS_MAX - 1).join('')}…` : name };
}
