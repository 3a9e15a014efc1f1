import { tooComplex } from '../pdf-error.ts';
import { BOUNDS } from '../read/bounds.ts';
import { type Dict, isName, Name, PdfString, type PdfValue } from '../read/values.ts';
import { literal } from '../write/literal.ts';
import type { NewFile } from '../write/new-file.ts';
import { DistinctNames, insertAscii } from './distinct-names.ts';
import { JoinError } from './join-error.ts';
import type { JoinedSource } from './source.ts';
import { type Edits, stringToken } from './template.ts';

/** `SignaturesExist` of /SigFlags (ISO 32000-2, table 225): there is a signature field, here an unsigned one. */
const SIGNATURES_EXIST = 1;

/** The interactive form of one document. */
interface SourceForm {
  dict: Dict;
  /** Names of the fields at the top in the result, by their own. */
  names: Map<string, string>;
  /** Names in the result of the fonts of default appearances, where they differ. */
  fonts: Map<string, string>;
}

/** The interactive form of the result: fields of the same name in different documents are different fields. */
export class JoinedForm {
  readonly #fields: string[] = [];
  readonly #calculated: string[] = [];
  readonly #names = new DistinctNames('_');
  readonly #fontNames = new DistinctNames('_');
  readonly #resources = new Map<string, Map<string, string>>();
  #defaults: { DA: string | undefined; Q: string | undefined } | undefined;
  #needsAppearances = false;
  #hasSignatureFields = false;

  /** Gives all fields and widgets places. Throws DOCUMENT_SIGNED. */
  open(source: JoinedSource, index: number): SourceForm | undefined {
    const dict = source.dict('AcroForm');
    if (!dict) return undefined;
    const form: SourceForm = { dict, names: new Map(), fonts: new Map() };
    source.rules.push((item) => renamed(source, form, item));
    let fields = 0;
    const lists = new Set<PdfValue>();
    const stack = fieldsIn(source, source.document.get(dict, 'Fields'), lists).map((field) => ({
      ...field,
      isNamed: false,
      isSignature: false,
    }));
    for (let field = stack.pop(); field; field = stack.pop()) {
      const { num, dict: own } = field;
      if (source.isOwned(num)) continue;
      if (++fields > BOUNDS.fieldsMax) throw tooComplex(`more than ${BOUNDS.fieldsMax} form fields`);
      source.own(num);
      const type = source.document.get(own, 'FT');
      const isSignature = type === null ? field.isSignature : isName(type, 'Sig');
      if (isSignature) this.#hasSignatureFields = true;
      if (isSignature && source.document.get(own, 'V') !== null) throw signed(index);
      const name = source.document.get(own, 'T');
      const isTop = !field.isNamed && name instanceof PdfString;
      if (isTop) source.own(num, { T: renamedTop(name, this.#nameOf(form, name)) });
      const kids = fieldsIn(source, source.document.get(own, 'Kids'), lists);
      for (const kid of kids) stack.push({ ...kid, isNamed: field.isNamed || isTop, isSignature });
    }
    return form;
  }

  /** Gives an annotation its place. Some readers add a widget to the form that no field lists: its name is new as well. */
  openAnnotation(
    source: JoinedSource,
    form: SourceForm | undefined,
    num: number,
    dict: Dict,
    index: number,
  ): void {
    if (source.isOwned(num)) return;
    source.own(num);
    const { document } = source;
    if (!isName(document.get(dict, 'Subtype'), 'Widget')) return;
    if (isName(document.get(dict, 'FT'), 'Sig') && document.get(dict, 'V') !== null) throw signed(index);
    const name = document.get(dict, 'T');
    if (!(name instanceof PdfString) || dict.entries.has('Parent')) return;
    const own = form ? this.#nameOf(form, name) : this.#names.name(name.text);
    source.own(num, { T: renamedTop(name, own) });
  }

  #nameOf({ names }: SourceForm, name: PdfString): string {
    const own = names.get(name.text) ?? this.#names.name(name.text);
    names.set(name.text, own);
    return own;
  }

  /** Merges the resources and defaults of a form. Returns whether fields have other names now. */
  add(source: JoinedSource, form: SourceForm): boolean {
    const { document, copier } = source;
    this.#addResources(source, form);
    const text = (key: string) => {
      const value = document.get(form.dict, key);
      if (value instanceof PdfString && key === 'DA') return appearance(value, form.fonts);
      return value === null ? undefined : copier.text(value);
    };
    const own = { DA: text('DA'), Q: text('Q') };
    const joined = this.#defaults ?? own;
    this.#defaults = joined;
    for (const { num, dict } of fieldsIn(source, document.get(form.dict, 'Fields'), new Set())) {
      const edits: Record<string, string> = {};
      for (const key of ['DA', 'Q'] as const) {
        const value = own[key] ?? (key === 'Q' ? '0' : undefined);
        if (own[key] !== joined[key] && value !== undefined && !dict.entries.has(key)) edits[key] = value;
      }
      source.own(num, edits);
      this.#fields.push(`${copier.placeOf(num)} 0 R`);
    }
    for (const item of source.list(form.dict, 'CO')) {
      const target = source.target(item);
      if (target && source.isOwned(target.num)) this.#calculated.push(`${copier.placeOf(target.num)} 0 R`);
    }
    if (document.get(form.dict, 'NeedAppearances') === true) this.#needsAppearances = true;
    return [...form.names].some(([name, own]) => name !== own);
  }

  #addResources(source: JoinedSource, form: SourceForm): void {
    const { document, copier } = source;
    const resources = document.dict(form.dict, 'DR');
    for (const kind of resources?.entries.keys() ?? []) {
      const named = resources && document.dict(resources, kind);
      const joined = this.#resources.get(kind) ?? new Map<string, string>();
      this.#resources.set(kind, joined);
      for (const [name, { value }] of named?.entries ?? []) {
        const text = copier.reference(value);
        if (text === undefined) continue;
        const own = kind === 'Font' ? this.#fontNames.name(name, text) : name;
        if (own !== name) form.fonts.set(name, own);
        if (!joined.has(own)) joined.set(own, text);
      }
    }
  }

  /** Returns the value for the catalog; undefined without fields. */
  finish(file: NewFile): string | undefined {
    if (this.#fields.length === 0) return undefined;
    const keys = [`/Fields ${file.add(`[${this.#fields.join(' ')}]`)} 0 R`];
    for (const [key, value] of Object.entries(this.#defaults ?? {})) if (value) keys.push(`/${key} ${value}`);
    const resources = [...this.#resources]
      .filter(([, named]) => named.size > 0)
      .map(([kind, named]) => {
        return `${literal.name(kind)}<<${[...named].map(([name, text]) => `${literal.name(name)} ${text}`).join('')}>>`;
      });
    if (resources.length > 0) keys.push(`/DR<<${resources.join('')}>>`);
    if (this.#calculated.length > 0) keys.push(`/CO[${this.#calculated.join(' ')}]`);
    if (this.#needsAppearances) keys.push('/NeedAppearances true');
    if (this.#hasSignatureFields) keys.push(`/SigFlags ${SIGNATURES_EXIST}`);
    return `<<${keys.join('')}>>`;
  }
}

const signed = (document: number): JoinError =>
  new JoinError('DOCUMENT_SIGNED', 'The PDF is signed; its signature would be lost.', { document });

/** The fields in a list that is not yet in `lists`. */
function fieldsIn(
  source: JoinedSource,
  value: PdfValue,
  lists: Set<PdfValue>,
): { num: number; dict: Dict }[] {
  if (!Array.isArray(value) || lists.has(value)) return [];
  lists.add(value);
  const found = value.map((item) => source.target(item)).filter((item) => item !== undefined);
  return [...new Map(found.map((item) => [item.num, item])).values()];
}

/** A default appearance with the names that its fonts have in the result (ISO 32000-2, 12.7.4.3). */
function appearance(value: PdfString, fonts: ReadonlyMap<string, string>): string {
  const text = value.bytes.toString('latin1');
  if (fonts.size === 0) return stringToken(text);
  return stringToken(
    text.replace(/\/([^\s()<>[\]{}/%]+)(?=\s+[-+.\d]+\s+Tf)/g, (whole, name: string) => {
      const own = fonts.get(
        name.replace(/#([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
      );
      return own === undefined ? whole : literal.name(own);
    }),
  );
}

/** Actions that stay and name fields: reset, hide (ISO 32000-2, 12.7.6.3 and 12.6.4.11). */
const FIELD_LISTS: Readonly<Record<string, string>> = {
  ResetForm: 'Fields',
  Hide: 'T',
};

function renamed(source: JoinedSource, form: SourceForm, dict: Dict): Edits | undefined {
  const edits: Record<string, Edits[string]> = {};
  const look = form.fonts.size > 0 ? source.document.get(dict, 'DA') : null;
  if (look instanceof PdfString) edits.DA = appearance(look, form.fonts);
  const action = dict.get('S');
  const key =
    action instanceof Name && Object.hasOwn(FIELD_LISTS, action.text) ? FIELD_LISTS[action.text] : undefined;
  if (key !== undefined && dict.entries.has(key)) {
    const value = source.document.get(dict, key);
    const rename = (item: PdfValue): PdfValue => {
      const name = source.document.resolve(item);
      return name instanceof PdfString ? renamedPath(name, form.names) : item;
    };
    edits[key] = { value: Array.isArray(value) ? value.map(rename) : rename(dict.get(key)) };
  }
  return Object.keys(edits).length > 0 ? edits : undefined;
}

/** The name of a field begins with that of the field at the top. */
function renamedPath(path: PdfString, names: ReadonlyMap<string, string>): PdfString {
  const [top = ''] = path.text.split('.', 1);
  const own = names.get(top) ?? top;
  return new PdfString(insertAscii(path, top.length, own.slice(top.length)), false);
}

/** `own` is the name with a number, or the name itself. */
const renamedTop = (name: PdfString, own: string): string =>
  stringToken(insertAscii(name, name.text.length, own.slice(name.text.length)).toString('latin1'));
