import type { PdfDocument } from '../read/document.ts';
import { Dict, type PdfValue, Ref, Stream } from '../read/values.ts';
import type { Budget } from './budget.ts';
import { isPointer, PARTS, type Part, rankOf } from './object-parts.ts';
import { eachReference, eachTrailerReference } from './references.ts';

/** A use of an object as `part` by the object `from`; 0 is the trailer. */
export interface Use {
  from: number;
  part: Part;
}

/** An object with more users counts as shared, without a list of users. */
const USERS_MAX = 2_000;
/** More users than this are kept in a set. */
const LISTED_USERS_MAX = 32;
const PATH_STEPS_MAX = 40;
const PATH_CHARS_MAX = 200;
const TRAILER = 0;

/** Two consecutive revisions. */
export interface RevisionPair {
  older: PdfDocument;
  newer: PdfDocument;
  changed: ReadonlySet<number>;
}

type Targets = Map<number, Set<Part>>;

const INDEX = Object.fromEntries(PARTS.map((part, index) => [part, index])) as Record<Part, number>;
const bitOf = (part: Part): number => 1 << INDEX[part];

/** The pending references, by rank. */
class Queue {
  readonly #items: number[] = [];
  #next = 0;

  push(num: number, part: Part, from: number): void {
    this.#items.push(num, INDEX[part], from);
  }

  shift(): { num: number; part: Part; from: number } | undefined {
    const at = this.#next;
    if (at >= this.#items.length) return undefined;
    this.#next = at + 3;
    const part = PARTS[this.#items[at + 1] ?? 0] ?? 'property';
    return { num: this.#items[at] ?? 0, part, from: this.#items[at + 2] ?? 0 };
  }
}

/** The users of an object, in a compact form for their number. */
type Users = number | number[] | Set<number>;

function withUser(users: Users | undefined, from: number): Users {
  if (users === undefined) return from;
  if (typeof users === 'number') return users === from ? users : [users, from];
  if (users instanceof Set) return users.size <= USERS_MAX ? users.add(from) : users;
  if (users.includes(from)) return users;
  if (users.length >= LISTED_USERS_MAX) return new Set([...users, from]);
  users.push(from);
  return users;
}

const listOf = (users: Users | undefined): readonly number[] =>
  users === undefined ? [] : typeof users === 'number' ? [users] : [...users];

/**
 * The uses of each reachable object: its parts, and the objects that refer to it. One walk over a revision collects
 * them; later revisions add their changes. An object keeps its former parts; `usesOf` returns those that still hold.
 */
export class Roles {
  /** Objects whose /Length once reached beyond the end of their revision. */
  readonly overruns = new Set<number>();
  readonly #budget: Budget;
  #masks = new Map<number, number>();
  #users = new Map<number, Users>();
  /** The parts and users that the newer revision adds. */
  #added = { masks: new Map<number, number>(), users: new Map<number, Users>() };
  #pair: RevisionPair | undefined;
  /** The targets of the objects of both revisions. */
  #made = { older: new Map<number, Targets>(), newer: new Map<number, Targets>() };

  /** Throws DOCUMENT_TOO_COMPLEX. */
  constructor(document: PdfDocument, budget: Budget) {
    this.#budget = budget;
    this.#follow(document, []);
    ({ masks: this.#masks, users: this.#users } = this.#added);
    this.#added = { masks: new Map(), users: new Map() };
  }

  /**
   * Sets the revisions that `usesOf` compares. The older one must be the revision last walked or advanced to. Throws
   * DOCUMENT_TOO_COMPLEX.
   */
  begin(pair: RevisionPair): void {
    this.#pair = pair;
    this.#made = { older: new Map(), newer: new Map() };
    this.#follow(pair.newer, pair.changed);
  }

  /** Makes the newer revision the older one of the next pair. */
  advance(): void {
    for (const [num, mask] of this.#added.masks) this.#masks.set(num, (this.#masks.get(num) ?? 0) | mask);
    for (const [num, users] of this.#added.users) {
      let known = this.#users.get(num);
      for (const from of listOf(users)) known = withUser(known, from);
      if (known !== undefined) this.#users.set(num, known);
    }
    this.#added = { masks: new Map(), users: new Map() };
    this.#pair = undefined;
  }

  #follow(document: PdfDocument, changed: Iterable<number>): void {
    const queues = [new Queue(), new Queue(), new Queue()];
    const add = (num: number, part: Part, from: number) => {
      this.#budget.spend('references', 1);
      queues[rankOf(part)]?.push(num, part, from);
    };
    const look = (num: number, part: Part) => {
      const overruns = eachReference(document, num, part, this.#budget, (target, made) =>
        add(target, made, num),
      );
      if (overruns) this.overruns.add(num);
    };
    eachTrailerReference(document, (num, part) => add(num, part, TRAILER));
    for (const num of changed) for (const part of this.#partsOf(num)) look(num, part);
    const next = () => queues[0]?.shift() ?? queues[1]?.shift() ?? queues[2]?.shift();
    for (let item = next(); item; item = next()) {
      if (this.#learn(item.num, item.part, item.from)) look(item.num, item.part);
    }
  }

  /** Records a use. Returns whether it is new. */
  #learn(num: number, part: Part, from: number): boolean {
    const { masks, users } = this.#added;
    const mask = masks.get(num) ?? 0;
    const known = mask | (this.#masks.get(num) ?? 0);
    if (isPointer(part, (other) => (known & bitOf(other)) !== 0)) return false;
    users.set(num, withUser(users.get(num), from));
    masks.set(num, mask | bitOf(part));
    return (known & bitOf(part)) === 0;
  }

  #usersOf(num: number): readonly number[] {
    const known = listOf(this.#users.get(num));
    const added = listOf(this.#added.users.get(num));
    if (added.length === 0) return known;
    return known.length === 0 ? added : [...new Set([...known, ...added])];
  }

  /** The current and former parts of an object, including those of the newer revision. */
  #partsOf(num: number): Part[] {
    const mask = (this.#masks.get(num) ?? 0) | (this.#added.masks.get(num) ?? 0);
    return PARTS.filter((part) => (mask & bitOf(part)) !== 0);
  }

  /** Whether an object has or had this part. */
  isOnce(num: number, part: Part): boolean {
    return ((this.#masks.get(num) ?? 0) & bitOf(part)) !== 0;
  }

  /**
   * The uses of an object that exist in both revisions, by any user; undefined if there are too many. A use that
   * exists only in the newer revision results from a change of its user.
   */
  usesOf(num: number): Use[] | undefined {
    const users = this.#usersOf(num);
    if (users.length > USERS_MAX) return undefined;
    const former = new Set<Part>();
    for (const from of users)
      for (const part of this.#targetsOf(from, 'older').get(num) ?? []) former.add(part);
    return users.flatMap((from) => {
      const isKept = from !== TRAILER && !this.#pair?.changed.has(from);
      const now = this.#targetsOf(from, isKept ? 'older' : 'newer').get(num);
      const parts = [...(now ?? [])].filter((part) => former.has(part) && !this.#isPointer(num, part));
      return parts.map((part) => ({ from, part }));
    });
  }

  #isPointer(num: number, part: Part): boolean {
    return isPointer(part, (known) => this.isOnce(num, known));
  }

  /** The targets of the object `from`. */
  #targetsOf(from: number, which: 'older' | 'newer'): Targets {
    const known = this.#made[which].get(from);
    if (known) return known;
    const targets: Targets = new Map();
    const document = this.#pair?.[which];
    const note = (target: number, part: Part) => {
      const parts = targets.get(target);
      if (parts) parts.add(part);
      else targets.set(target, new Set([part]));
    };
    if (document && from === TRAILER) eachTrailerReference(document, note);
    else if (document) {
      for (const part of this.#partsOf(from)) eachReference(document, from, part, this.#budget, note);
    }
    this.#made[which].set(from, targets);
    return targets;
  }

  /** A path from the trailer to an object, such as `/Root/Pages/Kids[0]`. */
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

/** The value of the object with this number, for any generation; null if it is free. */
export function objectValue(document: PdfDocument, num: number): PdfValue {
  const entry = document.xref.find(num);
  if (!entry || entry.kind === 'free') return null;
  return document.object(new Ref(num, entry.kind === 'plain' ? entry.gen : 0))?.value ?? null;
}

/** The path of keys and indices to a reference within a value; undefined if it is not there. */
function stepTo(value: PdfValue, num: number): string | undefined {
  if (value instanceof Ref) return value.num === num ? '' : undefined;
  if (value instanceof Stream) return stepTo(value.dict, num);
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const rest = stepTo(item, num);
      if (rest !== undefined) return `[${index}]${rest}`;
    }
  } else if (value instanceof Dict) {
    for (const [key, entry] of value.entries) {
      const rest = key === 'Parent' || key === 'P' ? undefined : stepTo(entry.value, num);
      if (rest !== undefined) return `/${key}${rest}`;
    }
  }
  return undefined;
}

/** Makes a path safe to display, because its names come from the document. */
export function shownPath(path: string): string {
  const printable = path.replace(/[^\x20-\x7e]/g, '?');
  return printable.length > PATH_CHARS_MAX ? `${printable.slice(0, PATH_CHARS_MAX)}…` : printable;
}
