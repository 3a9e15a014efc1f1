import type { Part } from '@scriptorium/ooxml/package';
import { XML_DECLARATION } from '@scriptorium/ooxml/xml';
import type { LookSource } from './look/look.ts';
import type { Looks } from './look/looks.ts';
import { partOf, type Source } from './source.ts';
import type { MergeTarget } from './target.ts';

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const TYPES = 'application/vnd.openxmlformats-officedocument.wordprocessingml';
const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';

/** The parts that define the look of a document. */
export function lookSourceOf(source: Source, numberingRelationship: (id: string) => string): LookSource {
  const xmlOf = (kind: string) => partOf(source, kind)?.xml;
  return {
    styles: xmlOf('styles'),
    numbering: xmlOf('numbering'),
    theme: xmlOf('theme'),
    settings: xmlOf('settings'),
    numberingRelationship,
  };
}

/**
 * Gives a first document without a theme that of the first other document with one, for its charts and diagrams. Returns its
 * text.
 */
export function adoptTheme(target: MergeTarget, others: readonly Source[]): string | undefined {
  const { first, main } = target;
  const usesTheme = [...first.scans.values()].some(({ themed }) => themed.length > 0);
  if (usesTheme || partOf(first, 'theme') !== undefined) return undefined;
  const theme = others
    .map((source) => partOf(source, 'theme'))
    .find((part) => part?.xml !== undefined && part.relationships.list.length === 0);
  if (theme === undefined) return undefined;
  const copy = target.addPart(theme.name, theme.contentType, theme.bytes, { isShared: false });
  target.relate(main, { type: `${OFFICE}/theme`, kind: 'theme', to: copy });
  return theme.xml;
}

/** The numbering part of the merged document; a new one if the first document has none. */
export function numberingPart(target: MergeTarget): Part {
  return wordPart(target, 'numbering', `<w:numbering xmlns:w="${WORD}"/>`);
}

/** Makes the first document distinguish even pages, if it has no settings that could. */
export function addSettings(target: MergeTarget): void {
  wordPart(target, 'settings', `<w:settings xmlns:w="${WORD}"><w:evenAndOddHeaders/></w:settings>`);
}

/** Keeps ids of styles and lists that the first document uses from imported ones, also where it lacks such a style. */
export function reserveIds(looks: Looks, first: Source): void {
  const sites = [...first.scans.values()].flatMap((scan) => scan.sites);
  const used = (kind: 'style' | 'list') =>
    sites.filter((site) => site.kind === kind).map(({ value }) => value);
  looks.reserve(used('style'), used('list'));
}

/** Writes the styles and lists of all documents into the merged one. */
export function writeLooks(target: MergeTarget, looks: Looks): void {
  for (const kind of ['styles', 'numbering'] as const) {
    const xml = looks[kind]();
    if (xml === undefined) continue;
    const part = wordPart(target, kind, '');
    part.xml = xml;
    part.bytes = Buffer.from(xml);
    part.edits = [];
    delete part.entry;
  }
}

function wordPart(target: MergeTarget, kind: 'styles' | 'numbering' | 'settings', xml: string): Part {
  const own = target.document.main.relationships.list.find((entry) => entry.kind === kind)?.part;
  const found = own === undefined ? undefined : target.document.parts.get(own);
  if (found !== undefined) return found;
  const text = `${XML_DECLARATION}${xml}`;
  const part = target.addPart(`word/${kind}.xml`, `${TYPES}.${kind}+xml`, Buffer.from(text), {
    isShared: false,
  });
  part.xml = text;
  target.relate(target.main, { type: `${OFFICE}/${kind}`, kind, to: part });
  return part;
}
