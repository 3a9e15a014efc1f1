import type { Template } from '@scriptorium/docx-template/template';

const DEFAULTS = /<(?:\w+:)?docDefaults\b[\s\S]*?<\/(?:\w+:)?docDefaults>/;
const LANGUAGE = /<(?:\w+:)?lang\b[^>]*?\s(?:\w+:)?val="([^"]{1,35})"/;
const DEFAULT = 'en-US';

/** The language of a template: that of its default text (ECMA-376-1 §17.3.2.20). */
export function languageOf({ document }: Pick<Template, 'document'>): string {
  for (const { contentType, xml = '' } of document.parts.values()) {
    if (!contentType.endsWith('.styles+xml')) continue;
    const tag = LANGUAGE.exec(DEFAULTS.exec(xml)?.[0] ?? '')?.[1];
    if (tag !== undefined && isKnown(tag)) return tag;
  }
  return DEFAULT;
}

function isKnown(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}
