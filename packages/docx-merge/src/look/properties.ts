import { type Edit, escapeXml, type XmlNode } from '@scriptorium/ooxml/xml';
import { type Theme, themeChanges } from './theme.ts';

/** One property of paragraphs (`p`) or runs (`r`): an element, or one attribute of an element that has several. */
export interface Property {
  group: 'p' | 'r';
  element: string;
  attribute: string | undefined;
  /** Equal texts mean the same. */
  value: string;
  /** The markup of an element that is a property as a whole. */
  markup: string;
}

export type Properties = ReadonlyMap<string, Property>;

/** Elements whose attributes are inherited one by one. */
const MANY = new Set(['w:rFonts', 'w:spacing', 'w:ind', 'w:lang']);
const ON = new Set(['1', 'true', 'on']);
const OFF = new Set(['0', 'false', 'off']);
/** Names of attributes that mean the same. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['w:start', 'w:left'],
  ['w:end', 'w:right'],
  ['w:startChars', 'w:leftChars'],
  ['w:endChars', 'w:rightChars'],
]);

/** The attributes of an element by name, without the theme, and without what has no effect on the look. */
function plainAttributes({ name, attributes }: XmlNode, theme: Theme): Map<string, string> {
  const plain = new Map<string, string>();
  for (const { name: attribute, value } of attributes)
    if (!attribute.startsWith('xmlns') && !attribute.startsWith('w:rsid'))
      plain.set(NAMES.get(attribute) ?? attribute, value);
  for (const { attribute, to } of themeChanges({ name, attributes }, theme)) {
    plain.delete(attribute);
    if (to !== undefined) plain.set(`w:${to.local}`, to.value);
  }
  if (name === 'w:rFonts') plain.delete('w:hint');
  return plain;
}

/** A text that is equal for elements of the same meaning. Ids that differ between documents are left out. */
export function meaningOf(node: XmlNode, theme: Theme, ids: ReadonlySet<string> = new Set()): string {
  const pieces: string[] = [];
  const waiting: (XmlNode | string)[] = [node];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next === 'string') {
      pieces.push(next);
      continue;
    }
    if (ids.has(next.name)) continue;
    const plain = plainAttributes(next, theme);
    const value = plain.get('w:val') ?? '';
    if (ON.has(value)) plain.delete('w:val');
    else if (OFF.has(value)) plain.set('w:val', '0');
    const attributes = [...plain].toSorted(([a], [b]) => (a < b ? -1 : 1));
    pieces.push(`<${next.name} ${JSON.stringify(attributes)}>`);
    waiting.push('</>', ...next.children.toReversed());
  }
  return pieces.join('');
}

/** The properties that the children of `w:pPr` or `w:rPr` set. */
export function propertiesOf(node: XmlNode | undefined, group: 'p' | 'r', theme: Theme): Properties {
  const found = new Map<string, Property>();
  for (const child of node?.children ?? []) {
    const element = child.name;
    if (!element.startsWith('w:') || IGNORED.has(element)) continue;
    const plain = plainAttributes(child, theme);
    // The spacing of characters is one number.
    if (MANY.has(element) && !(element === 'w:spacing' && group === 'r')) {
      for (const [attribute, value] of plain)
        found.set(keyOf(group, element, attribute), { group, element, attribute, value, markup: '' });
      continue;
    }
    const markup = markupOf(child, theme);
    if (markup === undefined) continue;
    const value = meaningOf(child, theme);
    found.set(keyOf(group, element), { group, element, attribute: undefined, value, markup });
  }
  return found;
}

const IGNORED = new Set([
  'w:rPr',
  'w:sectPr',
  'w:pPrChange',
  'w:rPrChange',
  'w:pStyle',
  'w:rStyle',
  'w:numPr',
]);

function keyOf(group: string, element: string, attribute = ''): string {
  return `${group} ${element} ${attribute}`;
}

/** Writes an element of `w:` names anew; undefined if it has others. */
function markupOf(node: XmlNode, theme: Theme): string | undefined {
  const attributes = [...plainAttributes(node, theme)];
  if (!node.name.startsWith('w:') || attributes.some(([name]) => !name.startsWith('w:'))) return undefined;
  const text = attributes.map(([name, value]) => ` ${name}="${escapeXml(value)}"`).join('');
  const children = node.children.map((child) => markupOf(child, theme) ?? '').join('');
  return children === '' ? `<${node.name}${text}/>` : `<${node.name}${text}>${children}</${node.name}>`;
}

/** What applies where nothing is set, by element and attribute (ECMA-376-1 §17.3.1 and §17.3.2). */
const USUAL: ReadonlyMap<string, string> = new Map([
  ...['ascii', 'hAnsi', 'eastAsia', 'cs'].map((slot) => [`r w:rFonts w:${slot}`, 'Times New Roman'] as const),
  ['r w:sz ', '20'],
  ['r w:szCs ', '20'],
  ['r w:color ', 'auto'],
  ['r w:u ', 'none'],
  ['r w:highlight ', 'none'],
  ['r w:vertAlign ', 'baseline'],
  ['r w:effect ', 'none'],
  ['r w:em ', 'none'],
  ['r w:w ', '100'],
  ['r w:kern ', '0'],
  ['r w:position ', '0'],
  ['r w:spacing ', '0'],
  ['p w:jc ', 'left'],
  ['p w:textAlignment ', 'auto'],
  ['p w:outlineLvl ', '9'],
  ['p w:textDirection ', 'lrTb'],
  ['p w:spacing w:line', '240'],
  ['p w:spacing w:lineRule', 'auto'],
]);
const USUALLY_ON = new Set([
  'w:widowControl',
  'w:kinsoku',
  'w:wordWrap',
  'w:overflowPunct',
  'w:autoSpaceDE',
  'w:autoSpaceDN',
  'w:adjustRightInd',
  'w:snapToGrid',
]);
const SWITCHES =
  /^w:(b|bCs|i|iCs|caps|smallCaps|strike|dstrike|outline|shadow|emboss|imprint|noProof|vanish|webHidden|rtl|cs|specVanish|oMath|keepNext|keepLines|pageBreakBefore|suppressLineNumbers|suppressAutoHyphens|topLinePunct|bidi|contextualSpacing|mirrorIndents|suppressOverlap)$/;

/** The property that undoes this one; undefined if none does. */
function undone({ group, element, attribute }: Property): Property | undefined {
  const usual = USUAL.get(keyOf(group, element, attribute));
  const base = { group, element, attribute };
  if (attribute !== undefined) {
    if (element === 'w:lang') return undefined;
    return { ...base, value: usual ?? '0', markup: '' };
  }
  const isOn = USUALLY_ON.has(element);
  if (usual === undefined && !isOn && !SWITCHES.test(element)) return undefined;
  const markup = `<${element} w:val="${usual ?? (isOn ? '1' : '0')}"/>`;
  return { ...base, value: markup, markup };
}

/** What must be set where `wanted` is to hold in spite of `present`. */
export function difference(wanted: Properties, present: Properties): Map<string, Property> {
  const found = new Map<string, Property>();
  for (const [key, property] of wanted)
    if (present.get(key)?.value !== property.value) found.set(key, property);
  for (const [key, property] of present) {
    const opposite = wanted.has(key) ? undefined : undone(property);
    if (opposite !== undefined && opposite.value !== property.value) found.set(key, opposite);
  }
  return found;
}

const PARAGRAPH =
  'pStyle keepNext keepLines pageBreakBefore framePr widowControl numPr suppressLineNumbers pBdr shd tabs suppressAutoHyphens kinsoku wordWrap overflowPunct topLinePunct autoSpaceDE autoSpaceDN bidi adjustRightInd snapToGrid spacing ind contextualSpacing mirrorIndents suppressOverlap jc textDirection textAlignment textboxTightWrap outlineLvl divId cnfStyle rPr sectPr pPrChange';
const RUN =
  'rStyle rFonts b bCs i iCs caps smallCaps strike dstrike outline shadow emboss imprint noProof snapToGrid vanish webHidden color spacing w kern position sz szCs highlight u effect bdr shd fitText vertAlign rtl cs em lang eastAsianLayout specVanish oMath rPrChange';
const ORDER = {
  p: new Map(PARAGRAPH.split(' ').map((name, at) => [`w:${name}`, at])),
  r: new Map(RUN.split(' ').map((name, at) => [`w:${name}`, at])),
};

/** The elements that set these properties, in the order of the schema. */
function elementsFor(group: 'p' | 'r', properties: Iterable<Property>): [name: string, markup: string][] {
  const many = new Map<string, string>();
  const elements = new Map<string, string>();
  for (const { element, attribute, value, markup } of properties)
    if (attribute === undefined) elements.set(element, markup);
    else many.set(element, `${many.get(element) ?? ''} ${attribute}="${escapeXml(value)}"`);
  for (const [element, text] of many) elements.set(element, `<${element}${text}/>`);
  const place = (name: string) => ORDER[group].get(name) ?? ORDER[group].size;
  return [...elements].toSorted(([a], [b]) => place(a) - place(b));
}

/** The edits that set properties in `w:pPr` or `w:rPr`, which does not set them yet. */
export function insertions(node: XmlNode, group: 'p' | 'r', added: readonly Property[], xml: string): Edit[] {
  const present = new Map(node.children.map((child) => [child.name, child]));
  const edits: Edit[] = [];
  const fresh: Property[] = [];
  for (const property of added) {
    const own = property.attribute === undefined ? undefined : present.get(property.element);
    if (own === undefined) fresh.push(property);
    else {
      const at = xml[own.openEnd - 2] === '/' ? own.openEnd - 2 : own.openEnd - 1;
      edits.push({ start: at, end: at, text: ` ${property.attribute}="${escapeXml(property.value)}"` });
    }
  }
  if (fresh.length === 0) return edits;
  const place = (name: string) => ORDER[group].get(name) ?? ORDER[group].size;
  const elements = elementsFor(group, fresh);
  if (node.openEnd === node.end) {
    const [, name = ''] = /^<([^\s/>]+)/.exec(xml.slice(node.start, node.end)) ?? [];
    const text = `>${elements.map(([, markup]) => markup).join('')}</${name}>`;
    return [{ start: node.end - 2, end: node.end, text }];
  }
  let at = 0;
  for (const [name, markup] of elements) {
    while (at < node.children.length && place(node.children[at]?.name ?? '') <= place(name)) at++;
    const start = node.children[at]?.start ?? node.closeStart;
    edits.push({ start, end: start, text: markup });
  }
  return edits;
}

/** `w:pPr` or `w:rPr` with these properties; nothing for none. */
export function propertiesMarkup(group: 'p' | 'r', properties: readonly Property[]): string {
  if (properties.length === 0) return '';
  const content = elementsFor(group, properties).map(([, markup]) => markup);
  return `<w:${group}Pr>${content.join('')}</w:${group}Pr>`;
}
