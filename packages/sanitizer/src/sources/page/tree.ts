import { BOUNDS, boundPassed } from '@scriptorium/ooxml/bounds';
import { Parser } from 'htmlparser2';

export interface PageElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** Undefined for the root. */
  readonly parent: PageElement | undefined;
  readonly children: (PageElement | string)[];
  readonly classes: ReadonlySet<string>;
  /** Its place among the elements of its parent, from 1, and the element before it. */
  readonly place: number;
  readonly before: PageElement | undefined;
  /** The last element in it. */
  last: PageElement | undefined;
  /** It has text, a picture or a control. */
  isFull: boolean;
}

const CONTROLS = new Set(['img', 'svg', 'input', 'select', 'textarea', 'hr']);
const EMPTY: ReadonlySet<string> = new Set();
/** The attributes of elements that the page leaves out. */
export const IMPLIED = {};

function childOf(parent: PageElement, name: string, attributes: Record<string, string>): PageElement {
  const classes = attributes.class?.match(/[^ \t\r\n\f]+/g);
  const before = parent.last;
  const element = {
    name,
    attributes,
    parent,
    children: [],
    classes: classes ? new Set(classes) : EMPTY,
    place: (before?.place ?? 0) + 1,
    before,
    last: undefined,
    isFull: false,
  };
  parent.children.push(element);
  parent.last = element;
  return element;
}

function fill(element: PageElement): void {
  for (let full: PageElement | undefined = element; full && !full.isFull; full = full.parent)
    full.isFull = true;
}

/** What parts of tables stand in. They end what is open in it (HTML §13.2.6.4.13). */
const SECTION = /^(?:table|thead|tbody|tfoot)$/;
const PLACES: ReadonlyMap<string, RegExp> = new Map([
  ...['thead', 'tbody', 'tfoot'].map((name) => [name, /^table$/] as const),
  ['tr', SECTION],
  ...['td', 'th'].map((name) => [name, /^(?:tr|table)$/] as const),
]);

function parentOf(open: readonly PageElement[], name: string): PageElement {
  const place = PLACES.get(name);
  const outer =
    open[open.findLastIndex((element) => element.parent === undefined || !place || place.test(element.name))];
  const parent = (place && outer?.parent === undefined ? open.at(-1) : outer) as PageElement;
  if (name !== 'tr' || parent.name !== 'table') return parent;
  return parent.last?.name === 'tbody' ? parent.last : childOf(parent, 'tbody', IMPLIED);
}

/**
 * The elements of a page, as the parser of the allow list sees them. `onElement` gets each. The bounds are checked when the
 * parser has read only the tag.
 */
export function readTree(html: string, onElement: (element: PageElement) => void): PageElement {
  const root: PageElement = {
    name: '',
    attributes: {},
    parent: undefined,
    children: [],
    classes: EMPTY,
    place: 1,
    before: undefined,
    last: undefined,
    isFull: false,
  };
  const open = [root];
  let elements = 0;
  let tables = 0;
  const parser = new Parser({
    onopentag: (name, attributes) => {
      if (++elements > BOUNDS.htmlElementsMax) throw boundPassed('htmlElementsMax');
      if (open.length > BOUNDS.depthMax) throw boundPassed('depthMax');
      if (Object.keys(attributes).length > BOUNDS.attributesMax) throw boundPassed('attributesMax');
      if (name === 'table' && ++tables > BOUNDS.nestedTablesMax) throw boundPassed('nestedTablesMax');
      const element = childOf(parentOf(open, name), name, attributes);
      open.push(element);
      if (CONTROLS.has(name)) fill(element);
      onElement(element);
    },
    onclosetag: (name) => {
      open.pop();
      if (name === 'table') tables--;
    },
    ontext: (text) => {
      const parent = open.at(-1) ?? root;
      const last = parent.children.length - 1;
      if (typeof parent.children[last] === 'string') parent.children[last] += text;
      else parent.children.push(text);
      if (!parent.isFull && text.trim() !== '') fill(parent);
    },
  });
  parser.end(html);
  return root;
}

/** The text of an element, without that of elements in it. */
export const ownText = ({ children }: PageElement): string =>
  children.filter((child) => typeof child === 'string').join('');

/** All elements with one of these names, in the order of the page. */
export function elementsOf(root: PageElement, names: ReadonlySet<string>): PageElement[] {
  return root.children.flatMap((child) => {
    if (typeof child === 'string') return [];
    return [...(names.has(child.name) ? [child] : []), ...elementsOf(child, names)];
  });
}
