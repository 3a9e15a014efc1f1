import type { SignWarning } from './sign-request.ts';

/** Characters that a warning lists. */
const LISTED_MAX = 20;

/** Returns the warning TEXT_NOT_SHOWN if there are characters that no font has. `where` is such as `audit pages`. */
export function textNotShown(where: string, missing: Iterable<string>): SignWarning[] {
  const characters = [...new Set(missing)];
  if (characters.length === 0) return [];
  const listed = characters.slice(0, LISTED_MAX).map(described).join(', ');
  const rest = characters.length > LISTED_MAX ? ` and ${characters.length - LISTED_MAX} more` : '';
  const message = `This service has no font for these characters of the ${where}: ${listed}${rest}.`;
  return [{ code: 'TEXT_NOT_SHOWN', message }];
}

function described(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return /^[\p{L}\p{N}\p{S}\p{P}]$/u.test(character) ? `${character} (U+${code})` : `U+${code}`;
}
