import { tooComplex } from '../pdf-error.ts';
import { Dict, isName, Name, PdfString, type PdfValue } from '../read/values.ts';
import { literal } from '../write/literal.ts';
import type { NewFile } from '../write/new-file.ts';
import { DistinctNames } from './distinct-names.ts';
import type { JoinedSource } from './source.ts';
import { Roles } from './structure-roles.ts';
import { type Edits, stringToken } from './template.ts';
import { readTree, type TreeKey, writeTree } from './trees.ts';

const ELEMENTS_MAX = 1_000_000;

interface SourceStructure {
  root: Dict;
  /** The objects of its elements, and of the elements at the top. */
  elements: Map<number, Dict>;
  tops: Set<number>;
  parents: Map<TreeKey, PdfValue>;
  /** Keys of the parent tree in the result. */
  keys: Map<number, number>;
  roles: Roles;
  classes: Map<string, string>;
  ids: Map<string, string>;
}

/** The structure tree of the result (ISO 32000-2, 14.7), with one element above the documents. */
export class JoinedStructure {
  readonly #file: NewFile;
  readonly #roleNames = new DistinctNames();
  readonly #roleMap = new Map<string, string>();
  readonly #classNames = new DistinctNames();
  readonly #classMap = new Map<string, string>();
  readonly #idNames = new DistinctNames();
  readonly #idTree: [string, string][] = [];
  readonly #parents: [number, string][] = [];
  readonly #kids: string[] = [];
  readonly #namespaces = new Set<string>();
  readonly #lexicons = new Set<string>();
  #places: { root: number; document: number } | undefined;
  #topNamespace: string | undefined;
  #nextKey = 0;

  constructor(file: NewFile) {
    this.#file = file;
  }

  /** Finds the elements of a document, which then have places. Returns undefined for a document that is not tagged. */
  open(source: JoinedSource): SourceStructure | undefined {
    const root = source.dict('StructTreeRoot');
    if (!root) {
      source.rules.push(withoutParents);
      return undefined;
    }
    this.#places ??= { root: this.#file.reserve(), document: this.#file.reserve() };
    const parents = readTree(source.document, root.get('ParentTree'), 'Nums');
    const { elements, tops } = findElements(source, root, parents.values());
    const keys = new Map<number, number>();
    for (const key of parents.keys()) if (typeof key === 'number') keys.set(key, this.#nextKey++);
    const structure: SourceStructure = {
      root,
      elements,
      tops,
      parents,
      keys,
      roles: new Roles(source, root, this.#roleNames, this.#roleMap),
      classes: new Map(),
      ids: new Map(),
    };
    const place = source.target(source.catalog.get('StructTreeRoot'));
    if (place) source.copier.assign(place.num, this.#places.document);
    for (const [num] of elements) source.own(num);
    source.rules.push((dict) => renumbered(source, dict, keys));
    source.rules.push((dict) => this.#elementRule(source, structure, dict));
    return structure;
  }

  /** Prepares what the rules need, after all places of the document are known. */
  prepare(source: JoinedSource, structure: SourceStructure): void {
    const { root, elements, ids, tops, classes } = structure;
    const { document, copier } = source;
    for (const [name, { value }] of document.dict(root, 'ClassMap')?.entries ?? []) {
      const text = copier.text(value);
      const own = this.#classNames.name(name, text);
      classes.set(name, own);
      this.#classMap.set(own, text);
    }
    for (const [num, dict] of elements) {
      const id = document.get(dict, 'ID');
      if (!(id instanceof PdfString)) continue;
      const old = id.bytes.toString('latin1');
      const own = this.#idNames.name(old);
      if (!ids.has(old)) ids.set(old, own);
      this.#idTree.push([own, `${copier.placeOf(num)} 0 R`]);
      source.own(num, { ID: stringToken(own) });
    }
    const lang = source.get('Lang');
    const place = this.#places?.document;
    for (const num of tops) {
      const dict = elements.get(num);
      const isSilent = lang instanceof PdfString && dict && document.get(dict, 'Lang') === null;
      source.own(num, { P: `${place} 0 R`, ...(isSilent && { Lang: { value: lang } }) });
    }
  }

  add(source: JoinedSource, { root, parents, keys }: SourceStructure): void {
    const { copier, document } = source;
    for (const [key, value] of parents) {
      const text = typeof key === 'number' ? copier.reference(value) : undefined;
      const own = keys.get(Number(key));
      if (text !== undefined && own !== undefined) this.#parents.push([own, text]);
    }
    const tops = document.get(root, 'K');
    for (const top of Array.isArray(tops) ? tops : [root.get('K')]) {
      const text = copier.text(top);
      if (text !== 'null') this.#kids.push(text);
      const dict = document.resolve(top);
      if (dict instanceof Dict) this.#topNamespace ??= copier.reference(dict.get('NS'));
    }
    for (const [key, found] of [
      ['Namespaces', this.#namespaces],
      ['PronunciationLexicon', this.#lexicons],
    ] as const) {
      for (const item of source.list(root, key)) {
        const text = copier.reference(item);
        if (text !== undefined) found.add(text);
      }
    }
  }

  /** An element's type, classes and header cells are named as in the result. */
  #elementRule(
    source: JoinedSource,
    { roles, classes, ids }: SourceStructure,
    dict: Dict,
  ): Edits | undefined {
    const { document } = source;
    if (dict.entries.has('Headers') && isName(dict.get('O'), 'Table')) {
      const headers = source.list(dict, 'Headers').map((item) => document.resolve(item));
      const names = headers.map((id) => (id instanceof PdfString ? id.bytes.toString('latin1') : undefined));
      const found = names.flatMap((name) => (name === undefined ? [] : stringToken(ids.get(name) ?? name)));
      return { Headers: `[${found.join('')}]` };
    }
    const type = dict.get('Type');
    const isElement = isName(type, 'StructElem') || (type === null && isElementShape(source, dict));
    if (!isElement) return undefined;
    const edits: Record<string, Edits[string]> = {};
    const role = document.get(dict, 'S');
    if (role instanceof Name && document.get(dict, 'NS') === null)
      edits.S = literal.name(roles.nameOf(role.text));
    const named = document.get(dict, 'C');
    if (named !== null && classes.size > 0) {
      const rename = (value: PdfValue): PdfValue =>
        value instanceof Name ? new Name(classes.get(value.text) ?? value.text) : value;
      edits.C = {
        value: Array.isArray(named) ? named.map((item) => rename(document.resolve(item))) : rename(named),
      };
    }
    return edits;
  }

  /** Returns the keys that the catalog needs; empty if no document is tagged. */
  finish(): string {
    if (!this.#places) return '';
    const { root, document } = this.#places;
    const file = this.#file;
    const namespace = this.#topNamespace === undefined ? '' : `/NS ${this.#topNamespace}`;
    file.write(
      document,
      `<</Type/StructElem/S/Document/P ${root} 0 R${namespace}/K[${this.#kids.join(' ')}]>>`,
    );
    const parents = file.add(writeTree(file, this.#parents, 'Nums'));
    const keys = [`/K[${document} 0 R]/ParentTree ${parents} 0 R/ParentTreeNextKey ${this.#nextKey}`];
    const names = (map: ReadonlyMap<string, string>) =>
      [...map].map(([name, value]) => `${literal.name(name)} ${value}`).join('');
    if (this.#roleMap.size > 0) keys.push(`/RoleMap<<${names(this.#roleMap)}>>`);
    if (this.#classMap.size > 0) keys.push(`/ClassMap<<${names(this.#classMap)}>>`);
    if (this.#idTree.length > 0) keys.push(`/IDTree ${file.add(writeTree(file, this.#idTree, 'Names'))} 0 R`);
    if (this.#namespaces.size > 0) keys.push(`/Namespaces[${[...this.#namespaces].join(' ')}]`);
    if (this.#lexicons.size > 0) keys.push(`/PronunciationLexicon[${[...this.#lexicons].join(' ')}]`);
    file.write(root, `<</Type/StructTreeRoot${keys.join('')}>>`);
    return `/StructTreeRoot ${root} 0 R`;
  }
}

/** /Type is optional: an element has a type of structure and a parent. */
const isElementShape = (source: JoinedSource, dict: Dict): boolean =>
  source.document.get(dict, 'S') instanceof Name && source.target(dict.get('P')) !== undefined;

/** Walks the tree, and the parent tree, whose elements the former may lack. */
function findElements(
  source: JoinedSource,
  root: Dict,
  parents: Iterable<PdfValue>,
): Pick<SourceStructure, 'elements' | 'tops'> {
  const { document } = source;
  const elements = new Map<number, Dict>();
  const lists = new Set<PdfValue>();
  const stack: PdfValue[] = [];
  const push = (value: PdfValue) => {
    const resolved = document.resolve(value);
    if (!Array.isArray(resolved)) {
      if (resolved instanceof Dict) stack.push(value);
    } else if (!lists.has(resolved)) {
      lists.add(resolved);
      for (const item of resolved.toReversed()) if (document.resolve(item) instanceof Dict) stack.push(item);
    }
  };
  const tops = new Set<number>();
  for (const value of [...parents].reverse()) push(value);
  const top = document.get(root, 'K');
  for (const value of Array.isArray(top) ? top : [root.get('K')]) {
    const found = source.target(value);
    if (found) tops.add(found.num);
    push(value);
  }
  for (let value = stack.pop(); value !== undefined; value = stack.pop()) {
    const dict = document.resolve(value);
    if (!(dict instanceof Dict) || !(document.get(dict, 'S') instanceof Name)) continue;
    const found = source.target(value);
    if (found && (elements.has(found.num) || source.isOwned(found.num))) continue;
    if (found) elements.set(found.num, dict);
    else if (lists.has(dict)) continue;
    else lists.add(dict);
    if (elements.size > ELEMENTS_MAX) throw tooComplex(`more than ${ELEMENTS_MAX} structure elements`);
    push(dict.get('K'));
  }
  return { elements, tops: new Set([...tops].filter((num) => elements.has(num))) };
}

/** Content without a key finds no element, instead of another document's. */
const withoutParents = (dict: Dict): Edits | undefined =>
  dict.entries.has('StructParents') || dict.entries.has('StructParent')
    ? { StructParents: null, StructParent: null }
    : undefined;

function renumbered(source: JoinedSource, dict: Dict, keys: ReadonlyMap<number, number>): Edits | undefined {
  if (!dict.entries.has('StructParents') && !dict.entries.has('StructParent')) return undefined;
  const edit = (key: string): Edits[string] => {
    const value = source.document.get(dict, key);
    const own = typeof value === 'number' ? keys.get(value) : undefined;
    return own === undefined ? null : String(own);
  };
  return { StructParents: edit('StructParents'), StructParent: edit('StructParent') };
}
