import type { Budget } from '@scriptorium/ooxml/bounds';
import {
  type Dropped,
  type Inspector,
  type OoxmlPackage,
  openPackage,
  type Part,
  writePackage,
} from '@scriptorium/ooxml/package';
import {
  applyEdits,
  attributeOf,
  childOf,
  childValue,
  descendantsOf,
  type Edit,
  escapeXml,
  prefixAt,
  TreeBuilder,
  type XmlNode,
  type XmlVisitor,
} from '@scriptorium/ooxml/xml';
import { type Label, ListCounter } from './list-counter.ts';
import { type List, ListSheet } from './list-sheet.ts';
import { mayMiswrite } from './number-formats.ts';

/** Each label of its own takes a list, and the time of the engine grows with the square of their number. */
const LABELS_MAX = 2_000;
const PARTS = /\.(?:numbering|styles|main)\+xml$/;
/** Content of other stories, which have numbers of their own. */
const OTHER_STORIES = new Set(['w:txbxContent', 'mc:Fallback', 'w:del', 'w:moveFrom']);
/** Elements that precede `w:numPr` in the properties of a paragraph (ECMA-376-1 §17.3.1.26). */
const BEFORE_NUMBERS = new Set([
  ...['w:pStyle', 'w:keepNext', 'w:keepLines', 'w:pageBreakBefore', 'w:framePr', 'w:widowControl'],
]);

interface Numbered {
  paragraph: XmlNode;
  list: List;
  level: number;
  indents: XmlNode | undefined;
  label: Label;
}

/**
 * Writes the numbers of lists as text where LibreOffice would write them differently from Word. Each label becomes a
 * list of its own, which keeps the look and place of the number. Lists whose numbers are not known are reported.
 */
export async function writeListNumbers(
  bytes: Buffer,
  budget: Budget,
): Promise<{ bytes: Buffer; dropped: readonly Dropped[] }> {
  const trees = new Map<string, TreeBuilder>();
  const survey: Inspector = {
    visit(part) {
      if (!PARTS.test(part.contentType)) return undefined;
      const builder = new TreeBuilder();
      trees.set(part.key, builder);
      return builder.visitor;
    },
  };
  const document = await openPackage(bytes, [survey], budget);
  const keyOf = (kind: string) =>
    document.main.relationships.list.find((relationship) => relationship.kind === kind)?.part ?? '';
  const part = document.parts.get(keyOf('numbering'));
  const [root, styles] = ['numbering', 'styles'].map((kind) => trees.get(keyOf(kind))?.root);
  const main = trees.get(document.main.key)?.root;
  if (part === undefined || root === undefined || main === undefined) return { bytes, dropped: [] };
  const sheet = new ListSheet(root, styles);
  return rewrite(bytes, document, { part, root, sheet, numbered: numberedIn(main, sheet) });
}

/** Finds out whether a list of a document may need `writeListNumbers`. */
export function listFormats(): Inspector & { mayMiswrite: boolean } {
  const found = {
    mayMiswrite: false,
    visit: (): XmlVisitor => ({
      'w:numFmt': {
        open: (tag) => {
          if (mayMiswrite(tag.attribute('w:val') ?? '')) found.mayMiswrite = true;
        },
      },
    }),
  };
  return found;
}

function numberedIn(main: XmlNode, sheet: ListSheet): Numbered[] {
  const counter = new ListCounter();
  const found: Numbered[] = [];
  for (const paragraph of descendantsOf(main, ({ name }) => OTHER_STORIES.has(name))) {
    if (paragraph.name !== 'w:p') continue;
    const properties = childOf(paragraph, 'w:pPr');
    const numbers = properties && childOf(properties, 'w:numPr');
    const level = numbers && childValue(numbers, 'w:ilvl');
    const place = sheet.placeOf(properties && childValue(properties, 'w:pStyle'), {
      list: numbers && childValue(numbers, 'w:numId'),
      level: level === undefined ? undefined : Number(level),
    });
    if (place !== undefined)
      found.push({ paragraph, ...place, label: counter.next(place.list, place.level) });
  }
  return found;
}

interface Rewriting {
  part: Part;
  root: XmlNode;
  sheet: ListSheet;
  numbered: readonly Numbered[];
}

function rewrite(
  unchanged: Buffer,
  document: OoxmlPackage,
  { part, root, sheet, numbered }: Rewriting,
): { bytes: Buffer; dropped: readonly Dropped[] } {
  const wrong = new Set(
    numbered.filter(({ label }) => label.isMiswritten).map(({ list }) => list.definition),
  );
  const affected = numbered.filter(({ list }) => wrong.has(list.definition));
  const unknown = new Set(
    affected.filter(({ label }) => label.text === undefined).map(({ list }) => list.definition),
  );
  const kept = affected.filter(({ list }) => !unknown.has(list.definition));
  const labels = new LabelLists(part, sheet);
  const edits: Edit[] = [];
  if (affected.length === 0) return { bytes: unchanged, dropped: [] };
  for (const item of kept) edits.push(...paragraphEdits(document.main, item, labels.listFor(item)));
  const dropped: Dropped[] = [...unknown].map((id) => ({ what: 'list number', part: part.name, detail: id }));
  if (labels.count > LABELS_MAX) {
    dropped.push({ what: 'list number', part: part.name, detail: `more than ${LABELS_MAX} labels` });
    return { bytes: writePackage(document, { isCompressed: false }), dropped };
  }
  for (const edit of edits) document.main.edits.push(edit);
  part.edits.push(...labels.insertions(root));
  return { bytes: writePackage(document, { isCompressed: false }), dropped };
}

/** The lists that each have one label. */
class LabelLists {
  readonly #part: Part;
  readonly #last: { definition: number; list: number };
  readonly #ids = new Map<string, number>();
  readonly #definitions: string[] = [];
  readonly #lists: string[] = [];

  constructor(part: Part, { last }: ListSheet) {
    this.#part = part;
    this.#last = { ...last };
  }

  get count(): number {
    return this.#ids.size;
  }

  /** The number of the list with this label at this level. */
  listFor({ list, level, label }: Numbered): number {
    const node = list.levels[level]?.node;
    const key = `${node?.start} ${label.text}`;
    const known = this.#ids.get(key);
    if (known !== undefined || node === undefined) return known ?? 0;
    const id = ++this.#last.list;
    this.#ids.set(key, id);
    if (this.#ids.size > LABELS_MAX) return id;
    const definition = ++this.#last.definition;
    const w = prefixAt(this.#part.xml ?? '', node);
    this.#definitions.push(
      `<${w}abstractNum ${w}abstractNumId="${definition}"><${w}multiLevelType ${w}val="multilevel"/>${this.#levelXml(node, label.text ?? '')}</${w}abstractNum>`,
    );
    this.#lists.push(`<${w}num ${w}numId="${id}"><${w}abstractNumId ${w}val="${definition}"/></${w}num>`);
    return id;
  }

  /** The level with a text as its label. Bullets keep their format. */
  #levelXml(node: XmlNode, text: string): string {
    const { xml = '' } = this.#part;
    const from = node.start;
    const edits: Edit[] = [];
    for (const child of node.children) {
      const replace = (value: string) => {
        const attribute = child.attributes.find(({ name }) => name === 'w:val');
        if (attribute === undefined) return;
        const [start, end] = [child.start + attribute.start - from, child.start + attribute.end - from];
        const written = xml.slice(from + start, from + end);
        edits.push({ start, end, text: `${written.slice(0, written.indexOf('='))}="${escapeXml(value)}"` });
      };
      if (child.name === 'w:numFmt' && attributeOf(child, 'w:val') !== 'bullet') replace('decimal');
      if (child.name === 'w:lvlText') replace(text);
      if (child.name === 'w:pStyle' || child.name === 'w:isLgl')
        edits.push({ start: child.start - from, end: child.end - from, text: '' });
    }
    return applyEdits(xml.slice(from, node.end), edits);
  }

  /** Definitions stand before lists, and both before `w:numIdMacAtCleanup`. */
  insertions(root: XmlNode): Edit[] {
    const insert = (xml: readonly string[], followers: readonly string[]): Edit => {
      const at = root.children.find(({ name }) => followers.includes(name))?.start ?? root.closeStart;
      return { start: at, end: at, text: xml.join('') };
    };
    const last = ['w:numIdMacAtCleanup'];
    return [insert(this.#definitions, ['w:num', ...last]), insert(this.#lists, last)];
  }
}

/** Puts the paragraph into its list, with the indents that it had. */
function paragraphEdits(main: Part, { paragraph, level, indents }: Numbered, id: number): Edit[] {
  const w = prefixAt(main.xml ?? '', paragraph);
  const numbers = `<${w}numPr><${w}ilvl ${w}val="${level}"/><${w}numId ${w}val="${id}"/></${w}numPr>`;
  const properties = childOf(paragraph, 'w:pPr');
  const own = properties && childOf(properties, 'w:numPr');
  if (own !== undefined) return [{ start: own.start, end: own.end, text: numbers }];
  const hasIndents = properties !== undefined && childOf(properties, 'w:ind') !== undefined;
  const text = numbers + (indents === undefined || hasIndents ? '' : indentsXml(w, indents));
  if (isEmpty(paragraph)) {
    const tag = main.xml?.slice(paragraph.start, paragraph.end - 2) ?? '';
    const { start, end } = paragraph;
    return [{ start, end, text: `${tag}><${w}pPr>${text}</${w}pPr></${w}p>` }];
  }
  if (properties === undefined || isEmpty(properties)) {
    const { start, end } = properties ?? { start: paragraph.openEnd, end: paragraph.openEnd };
    return [{ start, end, text: `<${w}pPr>${text}</${w}pPr>` }];
  }
  const before = properties.children.findLast(({ name }) => BEFORE_NUMBERS.has(name));
  const at = before?.end ?? properties.openEnd;
  return [{ start: at, end: at, text }];
}

const isEmpty = ({ closeStart, end }: XmlNode): boolean => closeStart === end;

/** The indents of a style, for a paragraph whose list is now its own: those of a list go before those of a style. */
function indentsXml(w: string, { attributes }: XmlNode): string {
  const own = attributes.filter(({ name }) => /^w:\w+$/.test(name));
  return `<${w}ind ${own.map(({ name, value }) => `${w}${name.slice(2)}="${escapeXml(value)}"`).join(' ')}/>`;
}
