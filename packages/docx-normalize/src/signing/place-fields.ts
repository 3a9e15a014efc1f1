import { BOUNDS, type Budget } from '@scriptorium/ooxml/bounds';
import { OoxmlError } from '@scriptorium/ooxml/error';
import { type OoxmlPackage, type Part, RelationshipIndex } from '@scriptorium/ooxml/package';
import {
  ancestorsOf,
  applyEdits,
  attributeOf,
  childOf,
  childValue,
  descendantsOf,
  type Edit,
  NAMESPACES,
  scanXml,
  TreeBuilder,
  type XmlNode,
} from '@scriptorium/ooxml/xml';
import { fieldRun, PIXEL } from './field-picture.ts';
import { type FieldKind, type FieldTag, FieldTagError, fieldNameOf, readFieldTag } from './field-tag.ts';
import { signatureLine } from './signature-line.ts';

/** A field that a document has a place for, in document order: the main part first. */
export interface PlacedField {
  /** Address of the link at the place. */
  address: string;
  name: string;
  /** What readers show for the field. */
  tooltip: string;
  type: 'signature' | 'text';
}

const FIELDS_MAX = 1_000;
const TOOLTIP_CHARS_MAX = 200;
/** Beyond the ids that documents use. */
const FIRST_DRAWING_ID = 2_000_000_000;
const MAY_HAVE = /="\s?(?:sign|date|name|initials|text)\s?:|:signatureline/;
const STORY = /\.(?:main|header|footer|footnotes|endnotes)\+xml$/;
const HIDDEN = /:vanish(?:\s*\/?>|\s+[\w:]*val=["'](?:1|true|on)["'])/;
const IMAGE = { key: 'word/media/field-place.png', name: 'word/media/field-place.png' };
const EMU_IN_POINT = 12_700;
const MM = 72 / 25.4;
/** In points. */
const SIZES: Readonly<Record<FieldKind, readonly [width: number, height: number]>> = {
  sign: [60 * MM, 20 * MM],
  date: [80, 14],
  name: [160, 14],
  initials: [40, 14],
  text: [160, 14],
};

/** A place in a part. */
interface Place {
  node: XmlNode;
  tag: FieldTag;
  tooltip: string;
  style: string;
  /** Its content is more than a prompt. It stays, and becomes no field. */
  isFilled: boolean;
  /** The id of the relationship to a picture that stays. */
  imageId?: string;
  /** Replaces the node, around the run of the place. */
  around(run: string): string;
}

/**
 * Puts a transparent picture with a link in the place of content controls and of each signature line of Word. The controls show
 * their placeholder and are tagged `sign:ROLE`, `date:ROLE`, `name:ROLE`, `initials:ROLE` or `text:ROLE`. The addresses of the
 * links begin with `prefix`, which the document must not know. Throws DOCUMENT_TOO_COMPLEX for more than 1,000.
 */
export function placeFields(document: OoxmlPackage, prefix: string, budget: Budget): PlacedField[] {
  const { main, parts } = document;
  const stories = [main, ...[...parts.values()].filter((part) => part !== main)].filter(
    ({ contentType, xml }) => STORY.test(contentType) && xml !== undefined && MAY_HAVE.test(xml),
  );
  const fields: PlacedField[] = [];
  for (const part of stories) placeIn(part, { prefix, budget, fields });
  if (fields.length > 0 && !parts.has(IMAGE.key))
    parts.set(IMAGE.key, {
      ...IMAGE,
      contentType: 'image/png',
      bytes: PIXEL,
      edits: [],
      relationships: { list: [] },
    });
  return fields;
}

interface Placing {
  prefix: string;
  budget: Budget;
  fields: PlacedField[];
}

function placeIn(part: Part, { prefix, budget, fields }: Placing): void {
  const xml = applyEdits(part.xml ?? '', part.edits);
  const builder = new TreeBuilder();
  scanXml(xml, [builder.visitor], { budget, part: part.name });
  const places = [...placesIn(xml, builder.root)];
  if (places.length === 0) return;
  if (fields.length + places.length > FIELDS_MAX)
    throw new OoxmlError(
      'DOCUMENT_TOO_COMPLEX',
      `The document has more than ${FIELDS_MAX} places for fields.`,
    );
  const relationships = new RelationshipIndex(part);
  const add = (kind: string, target: string, more: { isExternal: boolean; part?: string }) =>
    relationships.idOf({ kind, type: `${NAMESPACES.r}/${kind}`, target, ...more });
  const edits: Edit[] = places.flatMap(({ node, tag, tooltip, style, imageId, isFilled, around }) => {
    const address = `${prefix}${fields.length}`;
    const type = tag.kind === 'sign' ? 'signature' : 'text';
    fields.push({ address, name: fieldNameOf(tag), tooltip: tooltip.slice(0, TOOLTIP_CHARS_MAX), type });
    // Readers would show the field of a hidden place, and what is filled in must not vanish.
    if (isFilled || HIDDEN.test(style)) return [];
    const [width, height] = SIZES[tag.kind];
    const run = fieldRun({
      width: tag.width ?? width,
      height: tag.height ?? height,
      imageId: imageId ?? add('image', `/${IMAGE.name}`, { isExternal: false, part: IMAGE.key }),
      linkId: add('hyperlink', address, { isExternal: true }),
      drawingId: FIRST_DRAWING_ID + fields.length,
      style,
    });
    return [{ start: node.start, end: node.end, text: around(run) }];
  });
  part.xml = applyEdits(xml, edits);
  part.edits = [];
  part.bytes = Buffer.from(part.xml);
  delete part.entry;
  if (part.bytes.length > BOUNDS.xmlBytesMax)
    throw new OoxmlError('DOCUMENT_TOO_COMPLEX', `${part.name} is too large with its fields.`);
}

/** The places in document order. A place in another one is part of that. */
function* placesIn(xml: string, root: XmlNode): Generator<Place> {
  const found = new Set<XmlNode>();
  const isIn = (node: XmlNode) => {
    for (const outer of ancestorsOf(node)) if (found.has(outer) || outer.name === 'mc:Fallback') return true;
    return false;
  };
  for (const node of descendantsOf(root)) {
    if (node.name !== 'w:sdt' && node.name !== 'w:pict') continue;
    const place = isIn(node)
      ? undefined
      : node.name === 'w:sdt'
        ? controlPlace(xml, node)
        : linePlace(xml, node);
    if (place === undefined) continue;
    found.add(node);
    yield place;
  }
}

function controlPlace(xml: string, node: XmlNode): Place | undefined {
  const properties = childOf(node, 'w:sdtPr');
  const tag = properties && tagOf(childValue(properties, 'w:tag') ?? '');
  const around = tag && levelOf(xml, node);
  if (properties === undefined || tag === undefined || around === undefined) return undefined;
  const label = tag.kind === 'sign' ? tag.role : `${tag.role}: ${tag.kind}`;
  const tooltip = childValue(properties, 'w:alias')?.trim() || label;
  return {
    node,
    tag: { ...sizeIn(node), ...tag },
    tooltip,
    style: styleIn(xml, node),
    isFilled: isFilled(xml, node),
    around,
  };
}

function tagOf(text: string): FieldTag | undefined {
  try {
    return readFieldTag(text);
  } catch (error) {
    if (error instanceof FieldTagError) return undefined;
    throw error;
  }
}

const SHOWN = new Set(['w:drawing', 'w:pict', 'w:object', 'w:tbl', 'm:oMath']);

/** Whether a control shows something other than its placeholder (ECMA-376-1 §17.5.2.39). */
function isFilled(xml: string, control: XmlNode): boolean {
  const properties = childOf(control, 'w:sdtPr');
  const prompting = properties && childOf(properties, 'w:showingPlcHdr');
  if (prompting && !['0', 'false', 'off'].includes(attributeOf(prompting, 'w:val') ?? '')) return false;
  for (const node of descendantsOf(control)) {
    if (SHOWN.has(node.name)) return true;
    if (node.name === 'w:t' && xml.slice(node.openEnd, node.closeStart).trim() !== '') return true;
  }
  return false;
}

/** The size of the picture in a control. */
function sizeIn(control: XmlNode): { width?: number; height?: number } {
  for (const node of descendantsOf(control)) {
    if (node.name !== 'wp:extent') continue;
    const [width, height] = ['cx', 'cy'].map((side) => Number(attributeOf(node, side)) / EMU_IN_POINT);
    if (width !== undefined && height !== undefined && width >= 4 && height >= 4) return { width, height };
  }
  return {};
}

/** The properties of the first run in a control. */
function styleIn(xml: string, control: XmlNode): string {
  for (const run of descendantsOf(control)) {
    const style = run.name === 'w:r' ? childOf(run, 'w:rPr') : undefined;
    if (style !== undefined) return xml.slice(style.start, style.end);
    if (run.name === 'w:r') return '';
  }
  return '';
}

/** How the place of a control is written: in a paragraph, as a paragraph, or as a cell. Undefined for rows. */
function levelOf(xml: string, node: XmlNode): Place['around'] | undefined {
  const content = childOf(node, 'w:sdtContent');
  const [first] =
    content?.children.filter(({ name }) => ['w:p', 'w:tbl', 'w:tc', 'w:tr'].includes(name)) ?? [];
  const copied = (parent: XmlNode | undefined, name: string): string => {
    const child = parent && childOf(parent, name);
    return child ? xml.slice(child.start, child.end) : '';
  };
  const paragraph = (model: XmlNode | undefined) => (run: string) =>
    `<w:p xmlns:w="${NAMESPACES.w}">${copied(model, 'w:pPr')}${run}</w:p>`;
  if (first?.name === 'w:tr') return undefined;
  if (first?.name === 'w:tc')
    return (run) =>
      `<w:tc xmlns:w="${NAMESPACES.w}">${copied(first, 'w:tcPr')}${paragraph(childOf(first, 'w:p'))(run)}</w:tc>`;
  if (first !== undefined) return paragraph(first.name === 'w:p' ? first : undefined);
  const isInline = [...ancestorsOf(node)].some(({ name }) => name === 'w:p');
  return isInline ? (run) => run : paragraph(undefined);
}

function linePlace(xml: string, node: XmlNode): Place | undefined {
  const line = signatureLine(node);
  const around = node.parent;
  if (line === undefined || around === undefined) return undefined;
  const { role, signer, imageId, width, height } = line;
  // The run around the picture ends before the place, and begins again behind it.
  const [open, close] = [xml.slice(around.start, around.openEnd), xml.slice(around.closeStart, around.end)];
  const tag = { kind: 'sign', role, width, height } as const;
  return {
    node,
    tag,
    tooltip: signer || role,
    style: '',
    isFilled: false,
    imageId,
    around: (run) => `${close}${run}${open}`,
  };
}
