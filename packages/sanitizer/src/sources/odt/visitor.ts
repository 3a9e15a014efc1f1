import { BOUNDS, boundPassed } from '@scriptorium/ooxml/bounds';
import type { DropKind } from '@scriptorium/ooxml/package';
import { isSafeInOpenDocument } from '@scriptorium/ooxml/package';
import type { Attribute, Edit, ElementSpan, OpenTag, XmlVisitor } from '@scriptorium/ooxml/xml';
import type { DropLog } from '../drop-log.ts';
import { LayoutCount } from '../layout-count.ts';
import { isTooLarge, looksLikeSvg, type ReadPicture } from '../picture.ts';
import {
  ADDRESS_ATTRIBUTES,
  ADDRESS_PROPERTY,
  ELEMENT_RULES,
  LINKS,
  PICTURES,
  PRINTER_SETTINGS,
} from './element-rules.ts';
import { FormControls } from './form-controls.ts';
import { localName } from './names.ts';
import type { TableCount } from './table-count.ts';

/** The parts and objects that stay and that the XML of a part may refer to. */
export interface Targets {
  /** The name of a picture, font or object that stays. Undefined if the address leads to none. */
  resolve(address: string): string | undefined;
  /** Whether the package has nothing at this address. */
  isMissing(address: string): boolean;
  readPicture: ReadPicture;
}

const REPLACEMENT = /^(?:\.\/)?ObjectReplacements\//;
const PARAGRAPHS = new Set(['p', 'h']);
/** Actions of a click in a presentation that run a program, and that open a file or a page (ODF 1.3 part 3 §19.401). */
const RUNNING_ACTIONS = new Set(['execute', 'execute-macro', 'verb']);
const OPENING_ACTIONS = new Set(['show', 'sound']);

type Action = 'keep' | 'remove' | 'unwrap';

/** Checks the XML of one part of an OpenDocument package. Afterwards `edits` produce the safe text. */
export class OdfVisitor {
  readonly edits: Edit[] = [];
  /** Local names of the first elements down to the body's content: `document-content`, `body`, `text`. */
  readonly bodyPath: string[] = [];
  /** Version of the standard, from the root element. */
  version: string | undefined;
  readonly #xml: string;
  readonly #part: string;
  readonly #drops: DropLog;
  readonly #targets: Targets;
  readonly #open: { name: string; action: Action; replacement?: string }[] = [];
  readonly #tables: TableCount | undefined;
  readonly #layout: LayoutCount;
  #spaces = 0;
  readonly #controls = new FormControls();
  /** Number of open elements that define forms. */
  #forms = 0;
  /** Number of open elements that are removed. Their content is not reported. */
  #removed = 0;

  constructor(xml: string, part: string, drops: DropLog, targets: Targets, tables: TableCount | undefined) {
    this.#xml = xml;
    this.#part = part;
    this.#drops = drops;
    this.#targets = targets;
    this.#tables = tables;
    this.#layout = new LayoutCount(part);
  }

  visitor(): XmlVisitor {
    return {
      '*': {
        open: (tag) => this.#enter(tag),
        text: (text) => this.#layout.addText(text.length),
        close: (span) => this.#leave(span),
      },
    };
  }

  #enter(tag: OpenTag): void {
    const name = localName(tag.name);
    this.#notePath(name, tag.depth);
    if (tag.depth === 0) this.version = attributeOf(tag, 'version');
    this.#tables?.open(name, tag.attributes);
    if (PARAGRAPHS.has(name)) this.#layout.openParagraph();
    if (name === 'span') this.#layout.addPiece();
    if (name === 'columns') this.#layout.columns(attributeOf(tag, 'column-count'));
    if (name === 's') this.#countSpaces(tag.attributes);
    if (this.#forms > 0) this.#controls.read(tag);
    if (name === 'forms') this.#forms++;
    if (name === 'event-listener') this.#reportListener(tag);
    const action = this.#removed > 0 ? 'keep' : this.#judge(name, tag);
    const replacement =
      action === 'remove' && name === 'control' ? this.#controls.frameFor(tag, this.#xml) : '';
    this.#open.push({ name, action, ...(replacement && { replacement }) });
    if (action === 'remove') this.#removed++;
    else if (action === 'unwrap') this.#remove(tag.start, tag.end);
    else if (this.#removed === 0) this.#vetAttributes(name, tag);
  }

  #leave({ start, openEnd, closeStart, end }: ElementSpan): void {
    const element = this.#open.pop();
    if (element === undefined) return;
    this.#tables?.close(element.name);
    if (element.name === 'forms') this.#forms--;
    if (PARAGRAPHS.has(element.name)) this.#layout.closeParagraph();
    if (element.action === 'remove') {
      this.#removed--;
      this.edits.push({ start, end, text: element.replacement ?? '' });
    }
    if (element.action === 'unwrap' && closeStart < end) this.#remove(closeStart, end);
    if (element.name === 'binary-data' && this.#removed === 0)
      this.#vetBinary(start, openEnd, closeStart, end);
  }

  #notePath(name: string, depth: number): void {
    const { bodyPath } = this;
    if (depth === 0 || (depth === 1 && name === 'body') || (depth === 2 && bodyPath.length === 2))
      bodyPath.push(name);
  }

  #remove(start: number, end: number): void {
    this.edits.push({ start, end, text: '' });
  }

  #drop(what: DropKind, detail?: string): void {
    this.#drops.add(what, this.#part, detail);
  }

  #judge(name: string, tag: OpenTag): Action {
    const rule = ELEMENT_RULES.get(name);
    const href = attributeOf(tag, 'href');
    if (rule !== undefined) {
      // Producers write an empty one into every document.
      const isEmpty = name === 'template' ? !href : tag.isEmpty && !tag.attributes.length;
      if (rule.what !== undefined && !isEmpty)
        this.#drop(rule.what, href ?? attributeOf(tag, 'event-name') ?? name);
      return rule.action;
    }
    if (name === 'document' && tag.depth > 0) return this.#refuse('OLE object', name);
    if (name === 'control') return this.#judgeControl(tag);
    if (LINKS.has(name)) return this.#judgeLink(name, href);
    if (name === 'section-source') return href === undefined ? 'keep' : this.#refuse('external link', href);
    if (name === 'property' || name === 'list-property' || name === 'config-item')
      return this.#judgeProperty(tag);
    if (href === undefined) return 'keep';
    const isPicture = PICTURES.has(name);
    if (!isPicture && name !== 'object' && name !== 'font-face-uri') return 'keep';
    if (this.#targets.resolve(href) !== undefined) return 'keep';
    // Parts inside the package were already reported. Engines draw the picture of an object anew.
    if (!isInternal(href)) this.#drop('external link', href);
    else if (name === 'image' && !REPLACEMENT.test(href) && this.#targets.isMissing(href))
      this.#drop('image', href);
    return 'remove';
  }

  /** Listeners are removed. Those that only turn a page do not lose anything on paper. */
  #reportListener(tag: OpenTag): void {
    const action = attributeOf(tag, 'action');
    const href = attributeOf(tag, 'href');
    const detail = href ?? attributeOf(tag, 'event-name') ?? 'event-listener';
    if (action === undefined || RUNNING_ACTIONS.has(action)) this.#drop('macro', detail);
    else if (OPENING_ACTIONS.has(action))
      this.#drops.add(
        isSafeInOpenDocument(href ?? '') ? 'external link' : 'unsafe link',
        this.#part,
        detail,
        false,
      );
  }

  #refuse(what: DropKind, detail: string): Action {
    this.#drop(what, detail);
    return 'remove';
  }

  #judgeControl(tag: OpenTag): Action {
    const isShown = this.#controls.frameFor(tag, this.#xml) !== undefined;
    this.#drops.add('form control', this.#part, attributeOf(tag, 'control'), !isShown);
    return 'remove';
  }

  #judgeLink(name: string, href: string | undefined): Action {
    if (href === undefined || isSafeInOpenDocument(href)) return 'keep';
    this.#drop('unsafe link', href);
    return name === 'a' ? 'unwrap' : 'remove';
  }

  #judgeProperty(tag: OpenTag): Action {
    const name = attributeOf(tag, 'property-name') ?? attributeOf(tag, 'name') ?? '';
    if (PRINTER_SETTINGS.test(name)) return 'remove';
    if (!ADDRESS_PROPERTY.test(name)) return 'keep';
    const value = tag.attributes.find((it) => /-value$/.test(it.name))?.value;
    if (value) this.#drop('data source', `${name}: ${value}`);
    return 'remove';
  }

  #vetAttributes(name: string, tag: OpenTag): void {
    for (const attribute of tag.attributes) {
      const local = localName(attribute.name);
      if (local === 'href') this.#vetHref(name, tag, attribute);
      const what = ADDRESS_ATTRIBUTES.get(local);
      if (what === undefined) continue;
      if (attribute.value !== '') this.#drop(what, attribute.value);
      this.#remove(tag.start + attribute.start, tag.start + attribute.end);
    }
  }

  /** Checks an address on any other element, such as a form. Charts use `.` or `..` for data of the document. */
  #vetHref(name: string, tag: OpenTag, { value, start, end }: Attribute): void {
    if (LINKS.has(name) || PICTURES.has(name) || name === 'object' || name === 'font-face-uri') return;
    if (name === 'chart' && /^\.{0,2}\/?$/.test(value)) return;
    if (value !== '') this.#drop(name === 'form' ? 'form action' : 'external link', value);
    this.#remove(tag.start + start, tag.start + end);
  }

  #countSpaces(attributes: readonly Attribute[]): void {
    const count = attributes.find(({ name }) => localName(name) === 'c')?.value;
    this.#spaces += Number(count ?? 1) || 1;
    if (this.#spaces > BOUNDS.repeatedSpacesMax) throw boundPassed('repeatedSpacesMax', this.#part);
  }

  /** A picture inside the XML is checked like a separate part. */
  #vetBinary(start: number, openEnd: number, closeStart: number, end: number): void {
    const bytes = Buffer.from(this.#xml.slice(openEnd, closeStart), 'base64');
    const header = this.#targets.readPicture(bytes);
    if (header !== undefined && isTooLarge(header)) throw boundPassed('imagePixelsMax', this.#part);
    if (header !== undefined) return;
    this.#drop(looksLikeSvg(bytes) ? 'SVG image' : 'image', 'binary-data');
    this.#remove(start, end);
  }
}

/** The value of an attribute by its local name. */
function attributeOf(tag: OpenTag, local: string): string | undefined {
  return tag.attributes.find(({ name }) => localName(name) === local)?.value;
}

function isInternal(address: string): boolean {
  return !/^[a-z][a-z0-9+.-]*:|^[/\\]|^\.\.?[/\\]\.\./i.test(address.trim()) && !address.includes('../');
}
