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

interface Node {
  ref: Ref;
  path: string;
  type: PdfValue;
  value: PdfValue;
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
  const fields = document.get(acroForm, 'Fields');
  const stack: Node[] = [];
  const pushed = new Set<PdfValue[]>();
  let nameChars = 0;
  const push = (kids: PdfValue, parent: Omit<Node, 'ref'>) => {
    if (!Array.isArray(kids) || pushed.has(kids)) return;
    pushed.add(kids);
    for (let at = kids.length - 1; at >= 0; at--) {
      const ref = kids[at];
      if (ref instanceof Ref) stack.push({ ...parent, ref });
    }
  };
  push(fields, { path: '', type: null, value: null });
  const seen = new Set<number>();
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (seen.has(node.ref.num)) continue;
    seen.add(node.ref.num);
    if (seen.size > BOUNDS.fieldsMax) throw tooComplex(`more than ${BOUNDS.fieldsMax} form fields`);
    const object = document.object(node.ref);
    if (!object || !(object.value instanceof Dict)) continue;
    const dict = object.value;
    const path = pathOf(dict, node.path, document);
    const type = dict.entries.has('FT') ? document.get(dict, 'FT') : node.type;
    const value = dict.entries.has('V') ? dict.get('V') : node.value;
    const kids = document.get(dict, 'Kids');
    const children = Array.isArray(kids) && kids.some((kid) => isField(kid, document));
    if (children) push(kids, { path, type, value });
    nameChars += path.length;
    if (nameChars > BOUNDS.fieldNamesCharsMax) {
      throw tooComplex(`names of form fields of more than ${BOUNDS.fieldNamesCharsMax} characters`);
    }
    form.names.add(path);
    if (!children && isName(type, 'Sig')) {
      form.signatureFields.push(
        signatureField(document, { ...node, path, value }, { ...object, value: dict }, signatureOf(value)),
      );
    }
  }
  return form;
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

function signatureField(
  document: PdfDocument,
  node: Node,
  object: PdfObject & { value: Dict },
  signature: PdfValue,
): SignatureField {
  const kids = document.get(object.value, 'Kids');
  const widgetRef = isName(document.get(object.value, 'Subtype'), 'Widget')
    ? node.ref
    : Array.isArray(kids) && kids[0] instanceof Ref
      ? kids[0]
      : undefined;
  const widget = widgetRef ? document.object(widgetRef) : undefined;
  return {
    name: node.path,
    ref: node.ref,
    object,
    signature: signature instanceof Dict ? signature : undefined,
    signatureRef: node.value instanceof Ref ? node.value : undefined,
    widgetRef,
    widget: widget && widget.value instanceof Dict ? { ...widget, value: widget.value } : undefined,
  };
}

/** Whether a dictionary is a document time-stamp and not a person's signature. */
export function isDocumentTimestamp(signature: Dict): boolean {
  const type = signature.get('Type');
  return type instanceof Name && type.text === 'DocTimeStamp';
}
