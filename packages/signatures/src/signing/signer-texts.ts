import { type PdfDocument, PdfString } from '@scriptorium/pdf/read';
import type { SignerTexts } from '../pades/fill-fields.ts';
import type { Signing } from '../sign-request.ts';

const INITIALS_MAX = 4;

/** What the text fields of a signer get. The date has the language of the document unless the caller names another. */
export function signerTexts(
  { text, locale, timeZone = 'UTC' }: Signing,
  { name, signingTime, document }: { name: string; signingTime: Date; document: PdfDocument },
): SignerTexts {
  const format = new Intl.DateTimeFormat(locale ?? languageOf(document), { dateStyle: 'medium', timeZone });
  const texts = new Map([
    ['date', format.format(signingTime)],
    ['name', name],
    ['initials', initialsOf(name)],
  ]);
  if (text !== undefined) texts.set('text', text);
  return texts;
}

function initialsOf(name: string): string {
  const letters = Array.from(name.matchAll(/(?<![\p{L}\p{N}])\p{L}/gu), ([letter]) => letter.toUpperCase());
  return letters.slice(0, INITIALS_MAX).join('') || name.slice(0, 1);
}

function languageOf(document: PdfDocument): string {
  const language = document.get(document.catalog.value, 'Lang');
  const tag = language instanceof PdfString ? language.text : '';
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(tag)[0] ?? 'en';
  } catch {
    return 'en';
  }
}
