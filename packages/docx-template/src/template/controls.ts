import {
  ancestorsOf,
  attributeOf,
  childOf,
  childValue,
  descendantsOf,
  type XmlNode,
} from '@scriptorium/ooxml/xml';
import type { Story } from './story.ts';
import { readTag, type TagData } from './tag.ts';

type ControlLevel = 'block' | 'inline' | 'row' | 'cell';
type ControlKind = 'rich text' | 'plain text' | 'picture' | 'checkbox' | 'drop-down' | 'combo box' | 'date';

/** The place in the document's data that stores the content of a control (ECMA-376-1 §17.5.2.6). */
export interface Binding {
  /** A GUID in upper case and braces. Empty if any data part is allowed. */
  store: string;
  xpath: string;
  /** `xmlns:a='…' xmlns:b='…'`. */
  prefixes: string;
}

/** A content control that can be filled (`w:sdt`, ECMA-376-1 §17.5.2). */
export interface Control {
  story: Story;
  node: XmlNode;
  /** `w:sdtPr`. */
  properties: XmlNode | undefined;
  /** `w:sdtContent`. */
  content: XmlNode;
  level: ControlLevel;
  kind: ControlKind;
  /** `w:id`. */
  wordId: string | undefined;
  tag: string | undefined;
  tagData: TagData | undefined;
  alias: string | undefined;
  /** `fieldTypeShort`, with which template builders declare the type of the field. */
  declared: string | undefined;
  binding: Binding | undefined;
  /** It shows a prompt instead of content. */
  isPrompting: boolean;
}

const KINDS: readonly (readonly [element: string, kind: ControlKind])[] = [
  ['w:text', 'plain text'],
  ['w:picture', 'picture'],
  ['w14:checkbox', 'checkbox'],
  ['w:dropDownList', 'drop-down'],
  ['w:comboBox', 'combo box'],
  ['w:date', 'date'],
];

/** Controls that Word maintains: tables of contents, page numbers, cover pages, bibliographies. */
const WORDS_OWN = ['w:docPartObj', 'w:docPartList', 'w:bibliography', 'w:citation', 'w:equation'];

/** Elements that contain paragraphs and tables. */
const BLOCK_HOLDERS = new Set([
  'w:body',
  'w:tc',
  'w:hdr',
  'w:ftr',
  'w:footnote',
  'w:endnote',
  'w:txbxContent',
]);

/** The controls of a part that are fields, in document order. */
export function controlsOf(story: Story): Control[] {
  const controls: Control[] = [];
  for (const node of descendantsOf(story.root)) {
    if (node.name !== 'w:sdt') continue;
    const control = readControl(story, node);
    if (control !== undefined) controls.push(control);
  }
  return controls;
}

function readControl(story: Story, node: XmlNode): Control | undefined {
  const properties = childOf(node, 'w:sdtPr');
  const content = childOf(node, 'w:sdtContent');
  if (content === undefined) return undefined;
  const has = (name: string) => properties !== undefined && childOf(properties, name) !== undefined;
  const value = (name: string) => (properties === undefined ? undefined : childValue(properties, name));
  const tag = value('w:tag');
  const tagData = tag === undefined ? undefined : readTag(tag);
  if (WORDS_OWN.some(has) || tagData?.get('type') === 'documentSection') return undefined;
  // Early builders wrote an element of their own into the properties.
  const declared = tagData?.get('fieldTypeShort') ?? value('w:fieldTypeShort');
  return {
    story,
    node,
    properties,
    content,
    level: levelOf(node, content),
    kind: KINDS.find(([element]) => has(element))?.[1] ?? (declared === 'checkbox' ? declared : 'rich text'),
    wordId: value('w:id')?.trim(),
    tag,
    tagData,
    alias: value('w:alias'),
    declared,
    binding: properties && readBinding(properties),
    isPrompting: has('w:showingPlcHdr') && isOn(value('w:showingPlcHdr')),
  };
}

function readBinding(properties: XmlNode): Binding | undefined {
  const node = childOf(properties, 'w:dataBinding');
  const xpath = node && attributeOf(node, 'w:xpath');
  if (node === undefined || xpath === undefined) return undefined;
  return {
    store: (attributeOf(node, 'w:storeItemID') ?? '').trim().toUpperCase(),
    xpath: xpath.trim(),
    prefixes: attributeOf(node, 'w:prefixMappings') ?? '',
  };
}

/** A toggle without a value is on (ECMA-376-1 §17.17.4). */
export function isOn(value: string | undefined): boolean {
  return value === undefined || !['0', 'false', 'off'].includes(value);
}

function levelOf(node: XmlNode, content: XmlNode): ControlLevel {
  const inner = (name: string) => holds(content, name);
  if (inner('w:tc')) return 'cell';
  if (inner('w:tr')) return 'row';
  if (inner('w:p') || inner('w:tbl')) return 'block';
  for (const { name } of ancestorsOf(node)) {
    if (name === 'w:sdtContent' || name === 'w:sdt' || name === 'w:customXml') continue;
    if (name === 'w:tr') return 'cell';
    if (name === 'w:tbl') return 'row';
    return BLOCK_HOLDERS.has(name) ? 'block' : 'inline';
  }
  return 'inline';
}

/** Whether the content contains an element directly, or in a control of the same level. */
function holds(content: XmlNode, name: string): boolean {
  return content.children.some(
    (child) =>
      child.name === name ||
      (['w:sdt', 'w:sdtContent', 'w:customXml'].includes(child.name) && holds(child, name)),
  );
}
