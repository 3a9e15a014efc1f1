import { tooComplex } from '../pdf-error.ts';
import type { Dict } from '../read/values.ts';
import { Name } from '../read/values.ts';
import { literal } from '../write/literal.ts';
import type { DistinctNames } from './distinct-names.ts';
import type { JoinedSource } from './source.ts';

/** Standard structure types of PDF 1.7 and 2.0 (ISO 32000-1, 14.8.4; ISO 32000-2, 14.8.4). */
const STANDARD = new Set(
  (
    'Document DocumentFragment Part Art Sect Div BlockQuote Caption TOC TOCI Index NonStruct Private Aside Title FENote Sub ' +
    'P H H1 H2 H3 H4 H5 H6 L LI Lbl LBody Table TR TH TD THead TBody TFoot Span Quote Note Reference BibEntry Code Link ' +
    'Annot Ruby RB RT RP Warichu WT WP Em Strong Figure Formula Form Artifact'
  ).split(' '),
);

/** Limit for roles that are mapped to roles. */
const DEPTH_MAX = 50;

/** The structure types of one document. In the result, each name has one meaning. */
export class Roles {
  readonly #map: Dict | undefined;
  readonly #source: JoinedSource;
  readonly #names: DistinctNames;
  readonly #joined: Map<string, string>;
  readonly #known = new Map<string, string>();

  /** `joined` is the role map of the result; `names` are the names in it. */
  constructor(source: JoinedSource, root: Dict, names: DistinctNames, joined: Map<string, string>) {
    this.#source = source;
    this.#map = source.document.dict(root, 'RoleMap');
    this.#names = names;
    this.#joined = joined;
  }

  /** Returns the name in the result of a structure type. Throws DOCUMENT_TOO_COMPLEX. */
  nameOf(role: string): string {
    return this.#nameOf(role, new Set());
  }

  #nameOf(role: string, above: Set<string>): string {
    const known = this.#known.get(role);
    if (known !== undefined) return known;
    if (above.size > DEPTH_MAX) throw tooComplex(`roles mapped more than ${DEPTH_MAX} deep`);
    const target = this.#map ? this.#source.document.get(this.#map, role) : null;
    const isMapped = target instanceof Name && target.text !== role && !above.has(target.text);
    const mapped = isMapped ? this.#nameOf(target.text, new Set([...above, role])) : undefined;
    const name = this.#named(role, mapped);
    this.#known.set(role, name);
    if (mapped !== undefined) this.#joined.set(name, literal.name(mapped));
    return name;
  }

  /** A standard type that a document maps to another one gets a new name, because other documents use the type itself. */
  #named(role: string, mapped: string | undefined): string {
    if (!STANDARD.has(role)) return this.#names.name(role, mapped ?? '');
    return mapped === undefined ? role : this.#names.name(`${role}.1`, mapped);
  }
}
