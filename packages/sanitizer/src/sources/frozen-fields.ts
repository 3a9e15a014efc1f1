import type { FieldRule } from '../docx/fields.ts';
import type { SourceOptions } from './source.ts';

/** Fields that depend on the current time. They keep their last result unless the caller requests new values. */
const CLOCK = ['DATE', 'TIME'];
/** Times of the document. The engine shows the moment of the conversion for some of them. */
const TIMES = ['EDITTIME', 'PRINTDATE', 'SAVEDATE', 'CREATEDATE'];
/** Fields that would reveal the file names and the user of this service instead of those of the document. */
const SURROUNDINGS = [
  'FILENAME',
  'FILESIZE',
  'TEMPLATE',
  'USERNAME',
  'USERINITIALS',
  'USERADDRESS',
  'LASTSAVEDBY',
];
/** Fields that the engine keeps, or updates to another value than Word. */
const NOT_UPDATED = [
  'SECTION',
  'SECTIONPAGES',
  'IF',
  'COMPARE',
  '=',
  'QUOTE',
  'DOCVARIABLE',
  'DOCPROPERTY',
  'INFO',
  'AUTHOR',
  'NOTEREF',
  'REVNUM',
];

/** Counts the fields that keep their stored text, by their names. */
export class FrozenFields {
  readonly #names: ReadonlySet<string>;
  readonly #counts = new Map<string, number>();

  /** `more` are those that depend on what the caller wants to update; by default those of Word. */
  constructor(updates: SourceOptions['updateFields'], more = { none: CLOCK, all: NOT_UPDATED }) {
    const own = updates === 'all' ? more.all : more.none;
    this.#names = new Set([...SURROUNDINGS, ...TIMES, ...own]);
  }

  /** Selects the fields that must not reach an engine, and counts them. */
  readonly rule: FieldRule = ({ name }) => (this.freezes(name) ? 'unreported' : undefined);

  /** Whether a field of this name keeps its text. Counts it. */
  freezes(name: string): boolean {
    if (!this.#names.has(name)) return false;
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    return true;
  }

  get counts(): Record<string, number> {
    return Object.fromEntries(this.#counts);
  }
}
