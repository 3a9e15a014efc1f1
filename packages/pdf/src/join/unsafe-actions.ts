import type { RemovedAction } from '../actions/action-types.ts';
import { type IsSafeLink, judgeAction, judgeKeys } from '../actions/judge-action.ts';
import { Dict, type PdfValue } from '../read/values.ts';
import type { JoinWarning } from './properties.ts';
import type { JoinedSource } from './source.ts';
import type { Edits } from './template.ts';

/** Keys that hold one action. */
const HOLDERS = ['A', 'PA', 'Next'];
const NAMED_MAX = 5;
const NAMED_CHARS_MAX = 100;

/** Removes what would start, send or fetch something from one document, and notes it. */
export class UnsafeActions {
  readonly #source: JoinedSource;
  readonly #isSafeLink: IsSafeLink;
  readonly #removed = new Map<string, Set<string>>();

  constructor(source: JoinedSource, isSafeLink: IsSafeLink) {
    this.#source = source;
    this.#isSafeLink = isSafeLink;
    source.rules.push((dict) => this.#rule(dict));
  }

  /** An action goes with the key that holds it. One in an array, or beside others, loses all that it says. */
  #rule(dict: Dict): Edits | undefined {
    const own = this.#judge(dict);
    if (own !== undefined) {
      this.#note(own);
      return Object.fromEntries([...dict.entries.keys()].map((key) => [key, null]));
    }
    const fetching = judgeKeys(this.#source.document, dict, this.#isSafeLink);
    for (const removed of fetching.values()) this.#note(removed);
    const keys = [...fetching.keys()];
    for (const key of HOLDERS) if (dict.entries.has(key) && this.#isUnsafe(dict.get(key))) keys.push(key);
    if (dict.entries.has('AA') && this.#areAllUnsafe(dict.get('AA'))) keys.push('AA');
    return keys.length === 0 ? undefined : Object.fromEntries(keys.map((key) => [key, null]));
  }

  #areAllUnsafe(value: PdfValue): boolean {
    const actions = this.#source.document.resolve(value);
    const held = actions instanceof Dict ? [...actions.entries.values()] : [];
    return held.length > 0 && held.every((entry) => this.#isUnsafe(entry.value));
  }

  #isUnsafe(value: PdfValue): boolean {
    const action = this.#source.document.resolve(value);
    const judged = action instanceof Dict ? this.#judge(action) : undefined;
    if (judged !== undefined) this.#note(judged);
    return judged !== undefined;
  }

  #judge(dict: Dict): RemovedAction | undefined {
    return judgeAction(this.#source.document, dict, this.#isSafeLink);
  }

  #note({ what, detail }: RemovedAction): void {
    const code =
      what === 'link' ? 'LINK_REMOVED' : detail === 'JavaScript' ? 'SCRIPTS_REMOVED' : 'ACTION_REMOVED';
    const named = this.#removed.get(code) ?? new Set();
    this.#removed.set(code, named);
    if (named.size < NAMED_MAX) named.add(detail.slice(0, NAMED_CHARS_MAX));
  }

  /** Call it once the document is written. */
  warnings(): Omit<JoinWarning, 'document'>[] {
    const list = (code: string) => [...(this.#removed.get(code) ?? [])].join(', ');
    const messages = {
      SCRIPTS_REMOVED: 'Scripts were removed.',
      ACTION_REMOVED: `Actions that start, send or fetch something were removed: ${list('ACTION_REMOVED')}.`,
      LINK_REMOVED: `Links that are not safe to follow were removed: ${list('LINK_REMOVED')}`,
    } as const;
    return (['SCRIPTS_REMOVED', 'ACTION_REMOVED', 'LINK_REMOVED'] as const)
      .filter((code) => this.#removed.has(code))
      .map((code) => ({ code, message: messages[code] }));
  }
}
