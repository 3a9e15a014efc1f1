const CHARS_MAX = 150;
const NUMBER_DIGITS = 6;
/** Names that Windows reserves for devices, with any ending. */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)$/i;

/** Gives each document of an archive a name that every system can store, and that no other one has. */
export class FileNames {
  readonly #ending: string;
  readonly #used: Set<string>;
  /** The last number of each stem, so that many rows of one name need one try each. */
  readonly #copies = new Map<string, number>();

  /** `taken` are names of other files of the archive. */
  constructor(ending: string, taken: readonly string[]) {
    this.#ending = ending;
    this.#used = new Set(taken.map(folded));
  }

  /** Returns the name of a row: its own one, cleaned, or its number. */
  of(index: number, name: string | undefined): string {
    const stem = cleanStem(name ?? '', this.#ending) || String(index).padStart(NUMBER_DIGITS, '0');
    const key = folded(stem);
    for (let copy = (this.#copies.get(key) ?? 0) + 1; ; copy++) {
      const file = `${copy === 1 ? stem : `${stem} (${copy})`}.${this.#ending}`;
      if (this.#used.has(folded(file))) continue;
      this.#used.add(folded(file));
      this.#copies.set(key, copy);
      return file;
    }
  }
}

/** Systems differ in whether case and the form of accents distinguish names. */
const folded = (name: string): string => name.normalize('NFC').toLowerCase();

/** Empty if nothing is left. */
function cleanStem(name: string, ending: string): string {
  const withoutEnding = name.toLowerCase().endsWith(`.${ending}`) ? name.slice(0, -ending.length - 1) : name;
  const plain = withoutEnding
    .toWellFormed()
    .replace(/[/\\:*?"<>|]|[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '');
  const stem = [...plain]
    .slice(0, CHARS_MAX)
    .join('')
    .replace(/^[\s.]+|[\s.]+$/g, '');
  return RESERVED.test(stem.split('.')[0] ?? '') ? `_${stem}` : stem;
}
