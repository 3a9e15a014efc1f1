import { Dict } from '../../read/values.ts';
import { type Rule, takes, WHOLE } from '../subject.ts';

/**
 * Permits a document security store (ISO 32000-2, 12.8.4.3): certificates and revocation data. Anything else in it is
 * doubtful.
 */
export const validationData: Rule = {
  name: 'validation data',
  claim(c, subject) {
    const { kind, num, at, now } = subject;
    const key = kind === 'catalog' ? 'DSS' : kind === 'validationData' ? WHOLE : undefined;
    if (key === undefined || !subject.pending.has(key)) return;
    const store = kind === 'catalog' && now instanceof Dict ? c.newer.get(now, 'DSS') : now;
    const isStore = kind === 'catalog' ? store instanceof Dict : store !== null;
    if (!isStore) return;
    takes(subject, key);
    const place = { at: kind === 'catalog' ? '/DSS' : at, least: 1 } as const;
    const { isOdd, judged } = c.validationStore;
    const isJudged = kind === 'catalog' || judged.has(num);
    if (isOdd || !isJudged) c.report('VALIDATION_DATA', 'doubtful', num, place);
    else c.reportOnce('VALIDATION_DATA', num, place);
  },
};
