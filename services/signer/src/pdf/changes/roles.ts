import type { PdfDocument } from '../read/document.ts';
import { Dict, type PdfValue, Ref, Stream } from '../read/values.ts';
import type { Budget } from './budget.ts';
import { isPointer, PARTS, type Part, rankOf } from './parts.ts';
import { eachReference, eachTrailerReference } from './references.ts';

/** That the object `from` uses another one as `part`; 0 is the trailer. */
export interface Use {
  from: number;
  part: Part;
}

/** Of one object more are not told apart: it is shared. */
const USERS_MAX = 2_000;
const PATH_STEPS_MAX = 40;
const PATH_CHARS_MAX = 200;
const TRAILER = 0;

const bitOf = (part: Part): number => 1 << PARTS.indexOf(part);

/** References that are still to be followed, in their order. */
class Queue {
  readonly #items: number[] = [];
  #next = 0;

  push(num: number, part: Part, from: number): void {
    this.#items.push(num, PARTS.indexOf(part), from);
  }

  shift(): { num: number; part: Part; from: number } | undefined {
    const at = this.#next;
    if (at >= this.#items.length) return undefined;
    this.#next = at + 3;
    const [num = 0, part = 0, from = 0] = this.#items.slice(at, at + 3);
    return { num, part: PARTS[part] ?? 'property', from };
  }
}

/**
 * What each object that can be reached is used for, and by which others. Made by one walk over a revision; later ones
 * add what they change. An object keeps what it once was: `usesOf` tells what is still true.
 */
export class Roles {
  readonly #budget: Budget;
  readonly #masks = new Map<number, number>();
  readonly #users = new Map<number, number | number[]>();

  /** Throws DOCUMENT_TOO_COMPLEX. */
  constructor(document: PdfDocument, budget: Budget) {
    this.#budget = budget;
    this.#follow(document, []);
  }

  /** Learns what a later revision makes of the objects that it touched. Throws DOCUMENT_TOO_COMPLEX. */
  advance(newer: PdfDocument, touched: Iterable<number>): void {
    this.#follow(newer, touched);
  }

  #follow(document: PdfDocument, changed: Iterable<number>): void {
    const queues = [new Queue(), new Queue(), new Queue()];
    const add = (num: number, part: Part, from: number) => {
      this.#budget.spend('references', 1);
      queues[rankOf(part)]?.push(num, part, from);
    };
    const look = (num: number, part: Part) =>
      eachReference(document, num, part, this.#budget, (target, made) => add(target, made, num));
    eachTrailerReference(document, (num, part) => add(num, part, TRAILER));
    for (const num of changed) for (const part of this.#partsOf(num)) look(num, part);
    const next = () => queues[0]?.shift() ?? queues[1]?.shift() ?? queues[2]?.shift();
    for (let item = next(); item; item = next()) {
      if (this.#learn(item.num, item.part, item.from)) look(item.num, item.part);
    }
  }

  /** Whether this is news. */
  #learn(num: number, part: Part, from: number): boolean {
    const mask = this.#masks.get(num) ?? 0;
    if (isPointer(part, (known) => (mask & bitOf(known)) !== 0)) return false;
    this.#addUser(num, from);
    this.#masks.set(num, mask | bitOf(part));
    return (mask & bitOf(part)) === 0;
  }

  #addUser(num: number, from: number): void {
    const users = this.#users.get(num);
    if (users === undefined) this.#users.set(num, from);
    else if (typeof users === 'number') {
      if (users !== from) this.#users.set(num, [users, from]);
    } else if (users.length <= USERS_MAX && users.at(-1) !== from) users.push(from);
  }

  #usersOf(num: number): number[] {
    const users = this.#users.get(num);
    return typeof users === 'object' ? [...new Set(users)] : users === undefined ? [] : [users];
  }

  #partsOf(num: number): Part[] {
    const mask = this.#masks.get(num) ?? 0;
    return PARTS.filter((part) => (mask & bitOf(part)) !== 0);
  }

  /** Whether an object is known as this part, or once was. */
  isOnce(num: number, part: Part): boolean {
    return ((this.#masks.get(num) ?? 0) & bitOf(part)) !== 0;
  }

  /**
   * The uses of an object that both revisions have; undefined where these are too many to be told apart. What only the
   * newer one has comes of a change of the user.
   */
  usesOf(num: number, older: PdfDocument, newer: PdfDocument): Use[] | undefined {
    const users = this.#usersOf(num);
    if (users.length > USERS_MAX) return undefined;
    return users.flatMap((from) => {
      const still = this.#parts(newer, from, num);
      const before = this.#parts(older, from, num);
      return [...before].filter((part) => still.has(part)).map((part) => ({ from, part }));
    });
  }

  /** What the object `from` makes of another one. */
  #parts(document: PdfDocument, from: number, num: number): Set<Part> {
    const found = new Set<Part>();
    const isNode = this.isOnce(num, 'node');
    const note = (target: number, part: Part) => {
      if (target !== num) return;
      const isKnown = (known: Part) => (known === 'node' ? isNode : this.isOnce(num, known));
      if (!isPointer(part, isKnown)) found.add(part);
    };
    if (from === TRAILER) eachTrailerReference(document, note);
    else for (const part of this.#partsOf(from)) eachReference(document, from, part, this.#budget, note);
    return found;
  }

  /** A way from the trailer to an object, such as `/Root/Pages/Kids[0]`. */
  pathOf(document: PdfDocument, num: number): string {
    const steps: string[] = [];
    const seen = new Set<number>();
    let at = num;
    while (at !== TRAILER) {
      const [from] = this.#usersOf(at);
      if (from === undefined || seen.has(at) || steps.length >= PATH_STEPS_MAX) break;
      seen.add(at);
      const user = from === TRAILER ? document.trailer : objectValue(document, from);
      steps.unshift(stepTo(user, at) ?? '');
      at = from;
    }
    return shownPath(steps.join(''));
  }
}

/** The value of the object of this number, whatever its generation; null where it is free. */
export function objectValue(document: PdfDocument, num: number): PdfValue {
  const entry = document.xref.find(num);
  if (!entry || entry.kind === 'free') return null;
  return document.object(new Ref(num, entry.kind === 'plain' ? entry.gen : 0))?.value ?? null;
}

/** The keys and places that lead to a reference within a value. */
function stepTo(value: PdfValue, num: number): string | undefined {
  if (value instanceof Ref) return value.num === num ? '' : undefined;
  if (value instanceof Stream) return stepTo(value.dict, num);
  const items: Iterable<[string, PdfValue]> = Array.isArray(value)
    ? value.map((item, index) => [`[${index}]`, item])
    : value instanceof Dict
      ? [...value.entries]
          .filter(([key]) => key !== 'Parent' && key !== 'P')
          .map(([key, entry]) => [`/${key}`, entry.value])
      : [];
  for (const [step, item] of items) {
    const rest = stepTo(item, num);
    if (rest !== undefined) return step + rest;
  }
  return undefined;
}

/** A path fit to be shown: names in it come from the document. */
export function shownPath(path: string): string {
  const printable = path.replace(/[^\x20-\x7e]/g, '?');
  return printable.length > PATH_CHARS_MAX ? `${printable.slice(0, PATH_CHARS_MAX)}…` : printable;
}
