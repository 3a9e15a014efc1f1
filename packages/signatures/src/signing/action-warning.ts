import type { SignWarning } from '../sign-request.ts';

/** What a warning names. */
const ACTIONS_NAMED_MAX = 5;
const ACTION_CHARS_MAX = 100;

/** Signing changes no byte, so what a document starts, sends or fetches is signed, too. `found` is what names each. */
export function actionWarnings(found: readonly string[]): SignWarning[] {
  if (found.length === 0) return [];
  const named = found.slice(0, ACTIONS_NAMED_MAX).map((action) => action.slice(0, ACTION_CHARS_MAX));
  const message = `Readers of the document may start, send or fetch something: ${named.join(', ')}. Signing does not change that.`;
  return [{ code: 'ACTIVE_CONTENT', message }];
}
