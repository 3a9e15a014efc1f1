import {
  attributeOf,
  childOf,
  childValue,
  decodeReferences,
  descendantsOf,
  type XmlNode,
} from '@scriptorium/ooxml/xml';
import type { Story } from './story.ts';

/** A MERGEFIELD or FORMTEXT field of Word (ECMA-376-1 §17.16.5), which shows a text that a caller can replace. */
export interface WordField {
  kind: 'merge field' | 'form field';
  name: string;
  story: Story;
  /** The run from which the new text takes its properties. */
  run: XmlNode;
  /** Adjacent siblings that the text replaces: the whole field, or the result of a form field. May be empty. */
  replaced: readonly XmlNode[];
  /** Where the text goes if nothing is replaced. */
  at: number;
}

/** Stands in an instruction for a field inside it. No XML has this character. */
export const FIELD_INSIDE = '\u0001';

const LINE_ENDS = new Set(['w:br', 'w:cr']);
const NAME_CHARS_MAX = 200;
const MERGE_FIELD = /^\s*MERGEFIELD\s+(?:"([^"]+)"|(\S+))/i;
const FORM_TEXT = /^\s*FORMTEXT\b/i;
/** Ranges and pictures of mail merges, which are not texts. */
const CONTROL = /^(?:Table|Group)(?:Start|End):|^(?:Begin|End)Group:|^Image:/i;

/** The fields of a story, in document order. A field inside another one is not a field of its own. */
export function wordFieldsOf(story: Story): WordField[] {
  if (!/:?fld(?:Char|Simple)/.test(story.xml)) return [];
  const fields: WordField[] = [];
  for (const node of descendantsOf(story.root)) {
    if (node.name === 'w:fldSimple') add(fields, readSimple(node, story));
    else if (node.children.some(({ name }) => name === 'w:r')) fields.push(...complexIn(node, story));
  }
  return fields;
}

function add(fields: WordField[], field: WordField | undefined): void {
  if (field !== undefined) fields.push(field);
}

function readSimple(node: XmlNode, story: Story): WordField | undefined {
  const name = mergeName(attributeOf(node, 'w:instr') ?? '');
  const run = childOf(node, 'w:r');
  if (name === undefined || run === undefined) return undefined;
  return { kind: 'merge field', name, story, run, replaced: [node], at: node.start };
}

/** The children of a paragraph or of a group of runs, from the begin to the end of a field. */
interface Span {
  begin: number;
  separate: number | undefined;
  end: number;
  code: FieldCode;
}

/** The instruction of a field, with those of the fields in it, in order. */
export interface FieldCode {
  instruction: string;
  inner: FieldCode[];
}

/** Any field of Word in one paragraph, as written. */
export interface WrittenField extends FieldCode {
  nodes: readonly [XmlNode, ...XmlNode[]];
  run: XmlNode;
  /** Whether its first and last run hold nothing else. */
  isSeparate: boolean;
}

/** The fields of a story, in document order. Fields inside other fields are not listed. */
export function writtenFieldsOf(story: Story): WrittenField[] {
  if (!/:?fld(?:Char|Simple)/.test(story.xml)) return [];
  const fields: WrittenField[] = [];
  for (const node of descendantsOf(story.root)) {
    if (node.name === 'w:fldSimple') fields.push(simpleField(node));
    else if (node.children.some(({ name }) => name === 'w:r'))
      for (const span of spansIn(node, story)) fields.push(complexField(node, span));
  }
  return fields;
}

function simpleField(node: XmlNode): WrittenField {
  const run = childOf(node, 'w:r') ?? node;
  const instruction = attributeOf(node, 'w:instr') ?? '';
  return { instruction, inner: [], nodes: [node], run, isSeparate: true };
}

function complexField({ children }: XmlNode, { begin, separate, end, code }: Span): WrittenField {
  const [first, ...others] = children.slice(begin, end + 1);
  if (first === undefined) throw new Error('a field has no run');
  const last = others.at(-1) ?? first;
  const result = children.slice((separate ?? begin) + 1, end);
  const run = result.find((node) => node.name === 'w:r' && childOf(node, 'w:t') !== undefined) ?? first;
  return {
    ...code,
    nodes: [first, ...others],
    run,
    isSeparate: isEdge(first, 'first') && isEdge(last, 'last'),
  };
}

function complexIn(parent: XmlNode, story: Story): WordField[] {
  const fields: WordField[] = [];
  for (const span of spansIn(parent, story)) add(fields, readComplex(parent, span, story));
  return fields;
}

/** A field that has begun. Its result does not count. */
interface Open extends Omit<Span, 'end'> {
  outer: Open | undefined;
}

function spansIn(parent: XmlNode, { xml }: Story): Span[] {
  const spans: Span[] = [];
  let open: Open | undefined;
  for (const [at, child] of parent.children.entries()) {
    if (child.name === 'w:fldSimple' && open !== undefined)
      addInner(open, { instruction: attributeOf(child, 'w:instr') ?? '', inner: [] });
    for (const node of child.name === 'w:r' ? child.children : []) {
      const type = node.name === 'w:fldChar' ? attributeOf(node, 'w:fldCharType') : undefined;
      if (open !== undefined && open.separate === undefined) {
        if (node.name === 'w:instrText')
          open.code.instruction += decodeReferences(xml.slice(node.openEnd, node.closeStart));
        if (LINE_ENDS.has(node.name)) open.code.instruction += '\n';
      }
      if (type === 'begin')
        open = { begin: at, separate: undefined, code: { instruction: '', inner: [] }, outer: open };
      if (open === undefined) continue;
      if (type === 'separate') open.separate = at;
      if (type !== 'end') continue;
      const { outer, ...ended } = open;
      if (outer === undefined) spans.push({ ...ended, end: at });
      else addInner(outer, ended.code);
      open = outer;
    }
  }
  return spans;
}

function addInner({ code, separate }: Open, inner: FieldCode): void {
  if (separate !== undefined) return;
  code.instruction += FIELD_INSIDE;
  code.inner.push(inner);
}

function readComplex(
  { children }: XmlNode,
  { begin, separate, end, code: { instruction } }: Span,
  story: Story,
): WordField | undefined {
  const [first, last] = [children[begin], children[end]];
  if (first === undefined || last === undefined) return undefined;
  const inner = children.slice((separate ?? begin) + 1, end);
  const run = inner.find((node) => node.name === 'w:r' && childOf(node, 'w:t') !== undefined) ?? first;
  const merge = mergeName(instruction);
  if (merge !== undefined) {
    // The first and the last run must hold nothing else.
    if (!isEdge(first, 'first') || !isEdge(last, 'last')) return undefined;
    const replaced = children.slice(begin, end + 1);
    return { kind: 'merge field', name: merge, story, run, replaced, at: first.start };
  }
  const middle = children[separate ?? end];
  const name = FORM_TEXT.test(instruction) ? formName(first) : undefined;
  if (name === undefined || separate === undefined || middle === undefined) return undefined;
  if (separate === end || !isEdge(middle, 'last') || !isEdge(last, 'first')) return undefined;
  return { kind: 'form field', name, story, run, replaced: inner, at: middle.end };
}

/** Whether a run begins or ends with a field character. */
function isEdge(run: XmlNode, side: 'first' | 'last'): boolean {
  const content = run.children.filter(({ name }) => name !== 'w:rPr');
  return content.at(side === 'first' ? 0 : -1)?.name === 'w:fldChar';
}

function mergeName(instruction: string): string | undefined {
  const match = MERGE_FIELD.exec(instruction);
  const name = match?.[1] ?? match?.[2];
  return name === undefined ||
    CONTROL.test(name) ||
    name.includes(FIELD_INSIDE) ||
    name.length > NAME_CHARS_MAX
    ? undefined
    : name;
}

function formName(begin: XmlNode): string | undefined {
  for (const node of descendantsOf(begin)) {
    const name = node.name === 'w:ffData' ? childValue(node, 'w:name') : undefined;
    if (name !== undefined && name !== '') return name.slice(0, NAME_CHARS_MAX);
  }
  return undefined;
}
