import { tooComplex } from '../pdf-error.ts';
import { BOUNDS } from './bounds.ts';
import type { PdfDocument, PdfObject } from './document.ts';
import { Dict, isName, Name, PdfString, type PdfValue, Ref } from './values.ts';

/** A signature field (ISO 32000-2, 12.7.5.5). */
export interface SignatureField {
  /** Fully qualified: the partial names from the root, joined by dots. */
  name: string;
  ref: Ref;
  object: PdfObject & { value: Dict };
  /** The signature dictionary, if the field is signed. */
  signature: Dict | undefined;
  signatureRef: Ref | undefined;
  /** The field itself if merged with its only widget, otherwise its first widget. */
  widget: (PdfObject & { value: Dict }) | undefined;
  widgetRef: Ref | undefined;
}

export interface Form {
  /** Names of fields of all types. */
  names: Set<string>;
  signatureFields: SignatureField[];
  hasXfa: boolean;
  /** Whether readers must redraw the fields (/NeedAppearances). */
  needsAppearances: boolean;
}

const emptyForm = (): Form => ({
  names: new Set(),
  signatureFields: [],
  hasXfa: false,
  needsAppearances: false,
});

/**
 * Reads the fields of the interactive form with inherited values. Kids that are fields have a /T of their own.
 * `signatureOf` returns the dictionary for the value of a signature field.
 */
export function readForm(
  document: PdfDocument,
  signatureOf = (value: PdfValue): PdfValue => document.resolve(value),
): Form {
  const form = emptyForm();
  const acroForm = document.dict(document.catalog.value, 'AcroForm');
  if (!acroForm) return form;
  form.hasXfa = document.get(acroForm, 'XFA') !== null;
  form.needsAppearances = document.get(acroForm, 'NeedAppearances') === true;
  for (const node of fieldNodes(document, acroForm)) {
    form.names.add(node.name);
    const isSignature = isName(document.resolve(node.attributes.get('FT') ?? null), 'Sig');
    if (node.isTerminal && isSignature)
      form.signatureFields.push(
        signatureField(document, node, signatureOf(node.attributes.get('V') ?? null)),
      );
  }
  return form;
}

/** A node of the tree of fields. */
export interface FieldNode {
  ref: Ref;
  /** Fully qualified: the partial names from the root, joined by dots. */
  name: string;
  object: PdfObject & { value: Dict };
  /** Whether it has no field below it. */
  isTerminal: boolean;
  /** What it has or inherits of these keys, without resolving references. */
  attributes: Attributes;
}

type Attributes = ReadonlyMap<string, PdfValue>;
const INHERITED = ['FT', 'Ff', 'V', 'DA', 'Q', 'MaxLen', 'Opt'];

interface Waiting {
  ref: Ref;
  parent: Pick<FieldNode, 'name' | 'attributes'>;
}

/** Yields the nodes of the tree of fields, each once, in its order. Throws PdfError. */
export function* fieldNodes(document: PdfDocument, acroForm: Dict): Generator<FieldNode> {
  const stack: Waiting[] = [];
  const pushed = new Set<PdfValue[]>();
  const push = (kids: PdfValue, parent: Waiting['parent']) => {
    if (!Array.isArray(kids) || pushed.has(kids)) return;
    pushed.add(kids);
    for (let at = kids.length - 1; at >= 0; at--) {
      const ref = kids[at];
      if (ref instanceof Ref) stack.push({ ref, parent });
    }
  };
  push(document.get(acroForm, 'Fields'), { name: '', attributes: new Map() });
  const seen = new Set<number>();
  let nameChars = 0;
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { ref, parent } = next;
    if (seen.has(ref.num)) continue;
    seen.add(ref.num);
    if (seen.size > BOUNDS.fieldsMax) throw tooComplex(`more than ${BOUNDS.fieldsMax} form fields`);
    const object = document.object(ref);
    if (!object || !(object.value instanceof Dict)) continue;
    const dict = object.value;
    const name = pathOf(dict, parent.name, document);
    nameChars += name.length;
    if (nameChars > BOUNDS.fieldNamesCharsMax)
      throw tooComplex(`names of form fields of more than ${BOUNDS.fieldNamesCharsMax} characters`);
    const attributes = attributesOf(dict, parent.attributes);
    const kids = document.get(dict, 'Kids');
    const isTerminal = !(Array.isArray(kids) && kids.some((kid) => isField(kid, document)));
    if (!isTerminal) push(kids, { name, attributes });
    yield { ref, name, object: { ...object, value: dict }, isTerminal, attributes };
  }
}

function attributesOf(dict: Dict, inherited: Attributes): Attributes {
  const own = INHERITED.filter((key) => dict.entries.has(key));
  return own.length === 0
    ? inherited
    : new Map([...inherited, ...own.map((key) => [key, dict.get(key)] as const)]);
}

function pathOf(dict: Dict, parent: string, document: PdfDocument): string {
  const title = document.get(dict, 'T');
  if (!(title instanceof PdfString)) return parent;
  return parent === '' ? title.text : `${parent}.${title.text}`;
}

function isField(kid: PdfValue, document: PdfDocument): boolean {
  const dict = document.resolve(kid);
  return dict instanceof Dict && dict.entries.has('T');
}

function signatureField(document: PdfDocument, node: FieldNode, signature: PdfValue): SignatureField {
  const { object } = node;
  const value = node.attributes.get('V');
  const kids = document.get(object.value, 'Kids');
  const widgetRef = isName(document.get(object.value, 'Subtype'), 'Widget')
    ? node.ref
    : Array.isArray(kids) && kids[0] instanceof Ref
      ? kids[0]
      : undefined;
  const widget = widgetRef ? document.object(widgetRef) : undefined;
  return {
    name: node.name,
    ref: node.ref,
    object,
    signature: signature instanceof Dict ? signature : undefined,
    signatureRef: value instanceof Ref ? value : undefined,
    widgetRef,
    widget: widget && widget.value instanceof Dict ? { ...widget, value: widget.value } : undefined,
  };
}

/** Whether a dictionary is a document time-stamp and not a person's signature. */
export function isDocumentTimestamp(signature: Dict): boolean {
  const type = signature.get('Type');
  return type instanceof Name && type.text === 'DocTimeStamp';
}
