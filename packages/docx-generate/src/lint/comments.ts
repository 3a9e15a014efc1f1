import type { PackageEditor } from '@scriptorium/docx-template/editor';
import { type Dialect, dialectOf, type Story } from '@scriptorium/docx-template/template';
import { linesOf, run } from '@scriptorium/docx-template/text';
import { Budget } from '@scriptorium/ooxml/bounds';
import { OoxmlError } from '@scriptorium/ooxml/error';
import type { Part } from '@scriptorium/ooxml/package';
import {
  ancestorsOf,
  attributeOf,
  childOf,
  descendantsOf,
  FORBIDDEN_CHARACTERS,
  scanXml,
  TreeBuilder,
  type XmlNode,
} from '@scriptorium/ooxml/xml';

const AUTHOR = 'Scriptorium';
const INITIALS = 'S';
const CONTENT_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml.comments+xml';
const TEXT_CHARS_MAX = 2_000;
const FORBIDDEN = new RegExp(`[${FORBIDDEN_CHARACTERS}]`, 'g');

/** Where a comment begins and ends in the main part: before and after a child of a paragraph, or at its start. */
interface Anchor {
  start: number;
  end: number;
  /** A paragraph without content, which has no end tag. */
  empty?: XmlNode;
}

/** The comments that a document has. */
interface Existing {
  part: Part;
  xml: string;
  root: XmlNode;
}

/** Adds comments to a document, beside those that it has (ECMA-376-1 §17.13.4). */
export class Comments {
  readonly #editor: PackageEditor;
  readonly #body: Story;
  readonly #existing: Existing | undefined;
  /** The part of comments without the new ones. */
  readonly #xml: string;
  readonly #taken: ReadonlySet<string>;
  /** Comments that stand at an offset of the body: text boxes have a second copy for old readers. */
  readonly #known = new Set<string>();
  readonly #dialect: Dialect;
  #next = 0;
  #written = '';
  /** The tags at an offset: ends of ranges come before the starts of others. */
  readonly #tags = new Map<number, { ends: string; starts: string }>();
  readonly #empty = new Map<XmlNode, string>();

  /** Throws TemplateError INVALID_FILE_FORMAT if the part of comments is none. */
  constructor(editor: PackageEditor, body: Story) {
    this.#editor = editor;
    this.#body = body;
    this.#existing = existingIn(editor);
    this.#xml = this.#existing?.xml ?? `<w:comments xmlns:w="${body.dialect.namespaces.w}"></w:comments>`;
    this.#dialect = dialectOf(this.#xml, this.#existing?.root ?? rootOf(this.#xml, 'comments'));
    const nodes = [...(this.#existing?.root.children ?? []), ...descendantsOf(body.root)];
    this.#taken = new Set(nodes.map((node) => attributeOf(node, 'w:id') ?? ''));
  }

  /** Adds a comment at an element of the body; without one, or where no comment can stand, at the start of the document. */
  add(text: string, node: XmlNode | undefined): void {
    const anchor = (node && anchorOf(node)) ?? this.#start();
    const key = `${anchor?.start} ${text}`;
    if (anchor === undefined || this.#known.has(key)) return;
    this.#known.add(key);
    const id = this.#id();
    const { dialect } = this.#body;
    const start = dialect.element('commentRangeStart', { id });
    const reference = dialect.element('r', {}, dialect.element('commentReference', { id }));
    const end = dialect.element('commentRangeEnd', { id }) + reference;
    this.#written += commentOf(text, id, this.#dialect);
    if (anchor.empty !== undefined)
      this.#empty.set(anchor.empty, (this.#empty.get(anchor.empty) ?? '') + start + end);
    else if (anchor.start === anchor.end) this.#tag(anchor.start).starts += start + end;
    else {
      this.#tag(anchor.start).starts += start;
      this.#tag(anchor.end).ends += end;
    }
  }

  /** Writes all comments into the editor. */
  write(): void {
    if (this.#written === '') return;
    for (const [at, { ends, starts }] of this.#tags)
      this.#editor.edit(this.#body, { start: at, end: at, text: ends + starts });
    for (const [{ start, end }, content] of this.#empty) {
      const tag = this.#body.xml.slice(start, end);
      const name = /^<([^\s/>]+)/.exec(tag)?.[1] ?? '';
      const text = `${tag.slice(0, -'/>'.length)}>${content}</${name}>`;
      this.#editor.edit(this.#body, { start, end, text });
    }
    if (this.#existing === undefined) this.#addPart();
    else this.#append(this.#existing);
  }

  #addPart(): void {
    const root = this.#xml.replace('></', () => `>${this.#written}</`);
    const xml = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n${root}`;
    this.#editor.addPart({ kind: 'comments', fileName: 'comments', contentType: CONTENT_TYPE, xml });
  }

  #append({ part, xml, root: { start, openEnd, closeStart } }: Existing): void {
    if (xml[openEnd - 2] !== '/') {
      this.#editor.edit({ part }, { start: closeStart, end: closeStart, text: this.#written });
      return;
    }
    const name = /^<([^\s/>]+)/.exec(xml.slice(start, openEnd))?.[1] ?? '';
    this.#editor.edit({ part }, { start: openEnd - 2, end: openEnd, text: `>${this.#written}</${name}>` });
  }

  #id(): string {
    while (this.#taken.has(String(this.#next))) this.#next++;
    return String(this.#next++);
  }

  #tag(at: number): { ends: string; starts: string } {
    const known = this.#tags.get(at) ?? { ends: '', starts: '' };
    this.#tags.set(at, known);
    return known;
  }

  /** The start of the first paragraph. */
  #start(): Anchor | undefined {
    for (const node of descendantsOf(this.#body.root))
      if (node.name === 'w:p') return startOf(node, this.#body);
    return undefined;
  }
}

function startOf(paragraph: XmlNode, { xml }: Story): Anchor {
  const at = childOf(paragraph, 'w:pPr')?.end ?? paragraph.openEnd;
  const isEmpty = xml[paragraph.openEnd - 2] === '/';
  return { start: at, end: at, ...(isEmpty && { empty: paragraph }) };
}

/**
 * Around the child of the paragraph that holds an element. Word has no comments in text boxes: there it is around the
 * drawing. In a table or a control around paragraphs, it is at the first of them.
 */
function anchorOf(node: XmlNode): Anchor | undefined {
  let anchor: XmlNode | undefined;
  let child = node;
  for (const outer of ancestorsOf(node)) {
    if (outer.name === 'w:p') anchor = child;
    if (outer.name === 'w:txbxContent') anchor = undefined;
    child = outer;
  }
  if (anchor !== undefined) return { start: anchor.start, end: anchor.end };
  for (const inner of [node, ...descendantsOf(node)]) {
    const first = inner.name === 'w:p' ? inner.children.find(({ name }) => name !== 'w:pPr') : undefined;
    if (first !== undefined) return { start: first.start, end: first.end };
  }
  return undefined;
}

function commentOf(text: string, id: string, dialect: Dialect): string {
  const shown = text.slice(0, TEXT_CHARS_MAX).toWellFormed().replace(FORBIDDEN, '\ufffd');
  const paragraph = dialect.element('p', {}, run(linesOf(shown), '', dialect));
  return dialect.element('comment', { id, author: AUTHOR, initials: INITIALS }, paragraph);
}

function existingIn({ template: { document } }: PackageEditor): Existing | undefined {
  const { parts, main } = document;
  const found = main.relationships.list.find(
    ({ kind, part }) => kind === 'comments' && parts.has(part ?? ''),
  );
  const part = parts.get(found?.part ?? '');
  if (part === undefined) return undefined;
  const { xml, name } = part;
  const root = xml === undefined ? undefined : rootOf(xml, name);
  if (xml === undefined || root?.name !== 'w:comments')
    throw new OoxmlError('INVALID_FILE_FORMAT', `The part ${name} of the document has no comments in it.`);
  return { part, xml, root };
}

function rootOf(xml: string, part: string): XmlNode {
  const tree = new TreeBuilder();
  scanXml(xml, [tree.visitor], { budget: new Budget(), part });
  return tree.root;
}
