import type { Section } from './part-facts.ts';
import type { SectionEdits } from './sections.ts';

/** The attributes of a child, whatever prefix its document uses for the names. */
const childOf = (xml: string, name: string): string =>
  new RegExp(`<(?:[\\w.-]+:)?${name}(\\s[^<>]*)>`).exec(xml)?.[1] ?? '';
const attributeIn = (attributes: string, name: string): string | undefined =>
  new RegExp(`\\s(?:[\\w.-]+:)?${name}\\s*=\\s*(?:"([^"<>]*)"|'([^'"<>]*)')`)
    .exec(attributes)
    ?.slice(1)
    .find((value) => value !== undefined);
const valOf = (attributes: string): string => attributeIn(attributes, 'val') ?? '';

/** A child, written anew. */
function written(name: string, attributes: string): string {
  if (attributes === '') return '';
  const found = ['val', 'format'].map((local) => {
    const value = attributeIn(attributes, local);
    return value === undefined ? '' : ` w:${local}="${value}"`;
  });
  return `<w:${name}${found.join('')}/>`;
}
const USUAL = {
  footnote: { pos: 'pageBottom', numFmt: 'decimal' },
  endnote: { pos: 'docEnd', numFmt: 'lowerRoman' },
} as const;

/**
 * Numbers the notes of an imported document from 1 again. Word counts notes over the whole document, or anew in each section,
 * so each section starts with the number that it had. Returns whether it has notes.
 */
export function numberNotes(
  edits: SectionEdits,
  settings: { footnote: string; endnote: string },
  {
    before,
    section,
    ns,
    ofAll,
  }: {
    before: Section | undefined;
    section: Section;
    ns: string;
    /** The settings of the merged document, which hold where a section sets nothing. */
    ofAll: { footnote: string; endnote: string };
  },
): boolean {
  let isNumbered = false;
  for (const kind of ['footnote', 'endnote'] as const) {
    const counts = `${kind}s` as const;
    const hasNotes = section[counts] > (before?.[counts] ?? 0);
    const own = edits.child(`w:${kind}Pr`);
    const text = own === undefined ? '' : edits.textOf(own);
    const find = (name: string): string => childOf(text, name) || childOf(settings[kind], name);
    const look = (name: 'pos' | 'numFmt'): string =>
      written(name, find(name) || (childOf(ofAll[kind], name) && ` w:val="${USUAL[kind][name]}"`));
    if (!hasNotes) continue;
    isNumbered = true;
    const restart = valOf(find('numRestart'));
    const start = Number(valOf(find('numStart'))) || 1;
    const isContinuous = restart === '' || restart === 'continuous';
    const number = isContinuous ? start + (before?.[counts] ?? 0) : start;
    edits.put(
      `w:${kind}Pr`,
      `<w:${kind}Pr${ns}>${look('pos')}${look('numFmt')}<w:numStart w:val="${number}"/>` +
        `<w:numRestart w:val="${isContinuous ? 'eachSect' : restart}"/></w:${kind}Pr>`,
    );
  }
  return isNumbered;
}

/** Notes that every document has, and of which the merged one needs only those of the first. */
export const isSeparator = (type: string | undefined): boolean => type !== undefined && type !== 'normal';
