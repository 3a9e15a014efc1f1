import type { PdfDocument } from '../read/document.ts';
import { Dict, isName, Name, PdfString } from '../read/values.ts';
import { literal } from '../write/literal.ts';
import type { NewFile } from '../write/new-file.ts';
import { type Claims, writeXmp } from '../write/xmp.ts';
import { claimedByBoth, claimsIn, readXmp, titleOf } from './claims.ts';
import { JoinedIntents } from './output-intents.ts';
import type { JoinedSource } from './source.ts';
import { stringToken } from './template.ts';

const PRODUCER = 'Scriptorium';
/** The first version with object streams that PDF/A-2 allows; a later one is kept. */
const VERSION_MIN = '1.7';

export interface JoinWarning {
  code:
    | 'SCRIPTS_REMOVED'
    | 'ACTION_REMOVED'
    | 'LINK_REMOVED'
    | 'XFA_REMOVED'
    | 'FIELDS_RENAMED'
    | 'CONFORMANCE_LOST';
  /** The document's place, from 0; undefined if it is about all. */
  document: number | undefined;
  message: string;
}

/** How the result gets its title. */
export interface JoinTitles {
  /** The title of the result; by default that of the first document. */
  title?: string | undefined;
  /** The title if the first document has none. */
  titleIfNone?: string | undefined;
  /** The title if the documents have different ones. */
  titleIfDifferent?: string | undefined;
}

/** What the result says about itself: title, version, languages, and what it conforms to. */
export class JoinedProperties {
  readonly warnings: JoinWarning[] = [];
  readonly #intents = new JoinedIntents();
  #claims: Claims | undefined;
  #everClaimed: Claims = { pdfa: undefined, pdfua: undefined };
  #isTagged = true;
  #isSuspect = false;
  #version = '';
  #lang: string | undefined;
  #firstTitle: string | undefined;
  #hasOneTitle = true;
  #preferences = '';
  readonly #titles: JoinTitles;

  constructor(titles: JoinTitles) {
    this.#titles = titles;
  }

  add(source: JoinedSource, index: number, file: NewFile): void {
    const xmp = readXmp(source.document);
    const claims = claimsIn(xmp);
    this.#claims = this.#claims ? claimedByBoth(this.#claims, claims) : claims;
    this.#everClaimed = {
      pdfa: this.#everClaimed.pdfa ?? claims.pdfa,
      pdfua: this.#everClaimed.pdfua ?? claims.pdfua,
    };
    const ownTitle = titleOf(source, xmp);
    if (index > 0 && ownTitle !== this.#firstTitle) this.#hasOneTitle = false;
    if (index === 0) {
      this.#firstTitle = ownTitle;
      file.isPacked = claims.pdfa?.part !== '1';
      this.#preferences = preferencesOf(source);
    }
    this.#version = newest(this.#version, versionOf(source.document));
    const lang = source.get('Lang');
    if (lang instanceof PdfString) this.#lang ??= stringToken(lang.bytes.toString('latin1'));
    const mark = source.dict('MarkInfo');
    const says = (key: string) => mark !== undefined && source.document.get(mark, key) === true;
    if (!says('Marked') || !source.dict('StructTreeRoot')) this.#isTagged = false;
    if (says('Suspects')) this.#isSuspect = true;
    this.warn(index, removals(source));
  }

  warn(document: number, warnings: readonly Omit<JoinWarning, 'document'>[]): void {
    for (const warning of warnings) this.warnings.push({ ...warning, document });
  }

  warnRenamed(document: number): void {
    const message = 'Form fields were renamed, because fields of an earlier document have their names.';
    this.warnings.push({ code: 'FIELDS_RENAMED', document, message });
  }

  /** Copies output intents, after all places of the document are known. */
  addIntents(source: JoinedSource): void {
    this.#intents.add(source);
  }

  /** Writes metadata. Returns keys of the catalog and of the trailer, and the version. */
  finish(file: NewFile): { catalog: string; trailer: string; version: string } {
    const resultTitle = this.#resultTitle();
    const claims = this.#keptClaims(resultTitle);
    const metadata = file.reserve();
    const xmp = writeXmp(claims, { title: resultTitle, producer: PRODUCER });
    file.writeStream(metadata, '/Type/Metadata/Subtype/XML', Buffer.from(xmp));
    const intents = this.#intents.finish();
    const mark = this.#isTagged ? `/MarkInfo<</Marked true${this.#isSuspect ? '/Suspects true' : ''}>>` : '';
    const catalog = [
      `/Metadata ${metadata} 0 R${mark}${this.#preferences}`,
      this.#lang === undefined ? '' : `/Lang${this.#lang}`,
      intents === undefined ? '' : `/OutputIntents${intents}`,
    ].join('');
    // PDF/A-4 has no information dictionary (ISO 19005-4, 6.1.3).
    const title = resultTitle === undefined ? '' : `/Title${literal.text(resultTitle)}`;
    const hasInfo = claims.pdfa?.part !== '4';
    const trailer = hasInfo ? `/Info ${file.add(`<<${title}/Producer(${PRODUCER})>>`)} 0 R` : '';
    const least = file.isPacked ? VERSION_MIN : '1.4';
    return { catalog, trailer, version: newest(this.#version, least) };
  }

  #resultTitle(): string | undefined {
    const { title, titleIfDifferent, titleIfNone } = this.#titles;
    if (title !== undefined) return title;
    return (this.#hasOneTitle ? undefined : titleIfDifferent) ?? this.#firstTitle ?? titleIfNone;
  }

  /** What all documents claim, as far as the result keeps it. */
  #keptClaims(title: string | undefined): Claims {
    const { pdfa, pdfua } = this.#claims ?? { pdfa: undefined, pdfua: undefined };
    const needsTags = pdfa?.conformance.toUpperCase() === 'A';
    const isA = !this.#intents.isAmbiguous && (this.#isTagged || !needsTags);
    const isUa = this.#isTagged && title !== undefined;
    const kept: Claims = { pdfa: isA ? pdfa : undefined, pdfua: isUa ? pdfua : undefined };
    for (const [key, name] of [
      ['pdfa', 'PDF/A'],
      ['pdfua', 'PDF/UA'],
    ] as const) {
      if (!this.#everClaimed[key] || kept[key]) continue;
      const message = `The joined PDF does not claim ${name}: not all documents claim the same, or it needs a title.`;
      this.warnings.push({ code: 'CONFORMANCE_LOST', document: undefined, message });
    }
    return kept;
  }
}

const newest = (...versions: string[]): string => versions.sort().at(-1) ?? '';

/** The version of the header, or a later one in the catalog. */
function versionOf(document: PdfDocument): string {
  const header = document.bytes.toString('latin1', 0, 1_100).match(/%PDF-([12]\.\d)/)?.[1] ?? '';
  const later = document.get(document.catalog.value, 'Version');
  const named = later instanceof Name && /^[12]\.\d$/.test(later.text) ? later.text : '';
  return newest(named, header);
}

/** How the first document wants to be shown. */
function preferencesOf(source: JoinedSource): string {
  const own = source.dict('ViewerPreferences');
  if (!own) return '';
  const title = source.document.get(own, 'DisplayDocTitle') === true ? '/DisplayDocTitle true' : '';
  const direction = isName(source.document.get(own, 'Direction'), 'R2L') ? '/Direction/R2L' : '';
  return title + direction === '' ? '' : `/ViewerPreferences<<${title}${direction}>>`;
}

function removals(source: JoinedSource): Omit<JoinWarning, 'document'>[] {
  const { document } = source;
  const names = source.dict('Names');
  const action = source.get('OpenAction');
  const opensScript = action instanceof Dict && isName(document.get(action, 'S'), 'JavaScript');
  const hasScripts = names !== undefined && document.get(names, 'JavaScript') !== null;
  const form = source.dict('AcroForm');
  const found: Omit<JoinWarning, 'document'>[] = [];
  if (hasScripts || opensScript || source.get('AA') !== null) {
    found.push({ code: 'SCRIPTS_REMOVED', message: 'Scripts of the whole document were removed.' });
  }
  if (form && document.get(form, 'XFA') !== null) {
    found.push({
      code: 'XFA_REMOVED',
      message: 'The XFA form was removed; the fields of the PDF were kept.',
    });
  }
  return found;
}
