import { malformed } from '../pdf-error.ts';
import { Costs } from '../read/bounds.ts';
import type { PdfDocument } from '../read/document.ts';
import { ObjectParser } from '../read/object-parser.ts';
import { openPdf } from '../read/open.ts';
import { Dict, type DictEntry, Name, PdfString, type PdfValue, Ref } from '../read/values.ts';
import { literal } from '../write/literal.ts';
import { isOfForm, isOfStructure, type RemovedAction, STARTING } from './action-types.ts';
import { objectsAt } from './objects-at.ts';
import { actionsIn } from './search-actions.ts';

/** Returns the address that a link gets, or undefined to remove the link. */
export type VetLink = (address: string) => string | undefined;

/**
 * Vets the links and actions of a PDF that LibreOffice wrote: with one table of objects, and not encrypted. Actions that
 * start something, and links that `vetLink` refuses, are replaced by null, so that all bytes stay where they are. Returns the
 * same bytes if nothing changes. Throws PdfError for a PDF of another form.
 */
export function vetActions(bytes: Buffer, vetLink: VetLink): { bytes: Buffer; removed: RemovedAction[] } {
  const found = actionsIn(bytes);
  if (found.length === 0) return { bytes, removed: [] };
  const { document, isSearched } = openPdf(bytes);
  const { sections, isHybrid } = document.xref;
  if (isSearched || isHybrid || sections.length !== 1 || sections[0]?.kind !== 'table' || document.security)
    throw malformed('it is not as LibreOffice writes it');
  const vetting = new Vetting(document, vetLink);
  for (const start of objectsAt(document, sections[0], found)) vetting.object(start);
  return vetting.result();
}

class Vetting {
  readonly #document: PdfDocument;
  readonly #vetLink: VetLink;
  readonly #removed: RemovedAction[] = [];
  #bytes: Buffer | undefined;

  constructor(document: PdfDocument, vetLink: VetLink) {
    this.#document = document;
    this.#vetLink = vetLink;
  }

  result(): { bytes: Buffer; removed: RemovedAction[] } {
    return { bytes: this.#bytes ?? this.#document.bytes, removed: this.#removed };
  }

  /** Vets the object whose value starts here; of a stream, its dictionary. */
  object(start: number): void {
    const value = new ObjectParser(this.#document.bytes, start, new Costs()).value();
    // A type of an action that stands alone could be that of any action.
    if (value instanceof Name && (STARTING.has(value.text) || value.text === 'URI'))
      throw malformed('the type of an action is an object of its own');
    this.#value(value);
  }

  #value(value: PdfValue): void {
    if (Array.isArray(value)) for (const item of value) this.#value(item);
    if (!(value instanceof Dict) || this.#isRemoved(value)) return;
    for (const [key, entry] of value.entries) {
      if (entry.value === null) continue;
      if (key === 'JavaScript') this.#remove(entry, { what: 'action', detail: key });
      else this.#value(entry.value);
    }
  }

  /** Whether a dictionary is an action that was removed. */
  #isRemoved(dict: Dict): boolean {
    if (dict.repeatedKeys.length > 0) throw malformed('a dictionary with an action has a key twice');
    const type = dict.get('S');
    const script = dict.get('JS');
    const isExempt = isOfStructure(dict) || (script instanceof PdfString && isOfForm(dict, script));
    if (type instanceof Name && STARTING.has(type.text) && !isExempt) {
      this.#remove(dict, { what: 'action', detail: type.text });
      return true;
    }
    const address = dict.entries.get('URI');
    if (address?.value instanceof PdfString) return this.#isLinkRemoved(dict, address, address.value.text);
    if (address !== undefined && address.value !== null) this.#vetBase(address);
    return false;
  }

  #isLinkRemoved(link: Dict, { start, end }: DictEntry, address: string): boolean {
    const vetted = this.#vetLink(address);
    if (vetted === address) return false;
    const written = vetted === undefined ? undefined : literal.text(vetted);
    const isShort = written !== undefined && written.length <= end - start;
    if (isShort) this.#write(start, end, written);
    else this.#remove(link, { what: 'link', detail: address });
    return !isShort;
  }

  /** The base of all links (ISO 32000-2, 7.7.2). */
  #vetBase(entry: DictEntry): void {
    const base = entry.value instanceof Dict ? entry.value.get('Base') : undefined;
    const address = base instanceof PdfString ? base.text : '';
    if (base === undefined || base instanceof Ref || (base && this.#vetLink(address) !== address))
      this.#remove(entry, { what: 'link', detail: address });
  }

  #remove({ start, end }: { start: number; end: number }, removed: RemovedAction): void {
    this.#removed.push(removed);
    // A space, since a key may touch its value.
    this.#write(start, end, ' null');
  }

  /** Writes a value in the place of another one, with spaces behind it. */
  #write(start: number, end: number, value: string): void {
    this.#bytes ??= Buffer.from(this.#document.bytes);
    this.#bytes.write(value.padEnd(end - start), start, end - start, 'latin1');
  }
}
