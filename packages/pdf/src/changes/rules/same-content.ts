import { Dict } from '../../read/values.ts';
import { isSameMeaning } from '../same-meaning.ts';
import { type Rule, take } from '../subject.ts';

/** Keys whose values writers copy unchanged to new objects when they rewrite the dictionary. */
const COPIED = ['Resources', 'Group', 'Contents', 'MediaBox', 'CropBox', 'ViewerPreferences', 'OCProperties'];

/** Permits rewritten parts of pages and of the catalog that mean the same. */
export const sameContent: Rule = {
  name: 'the same content, rewritten',
  claim(c, subject) {
    const { kind, before, now, pending } = subject;
    if (kind !== 'page' && kind !== 'catalog') return;
    if (!(before instanceof Dict && now instanceof Dict)) return;
    const same = COPIED.filter((key) => pending.has(key) && isSameMeaning(c, before.get(key), now.get(key)));
    take(subject, same);
  },
};
