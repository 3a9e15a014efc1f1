import { isSafeInOpenDocument } from '@scriptorium/ooxml/package';
import type { Attribute, Edit, ElementSpan, OpenTag, XmlVisitor } from '@scriptorium/ooxml/xml';
import type { DropLog } from '../sources/drop-log.ts';
import {
  ADDRESS_ATTRIBUTES,
  ADDRESS_PROPERTY,
  ELEMENT_RULES,
  LINKS,
  PICTURES,
} from '../sources/odt/element-rules.ts';
import { localName } from '../sources/odt/names.ts';

type Action = 'keep' | 'remove' | 'unwrap';

/** Elements that show a part of the package. */
const SHOWING = new Set([...PICTURES, 'object', 'font-face-uri']);
/** An address that leaves the package, or begins with its root. Some readers decode it first. */
const OUTSIDE = /^(?:[a-z][\w+.-]*:|[\\/])|(?:^|[\\/])(?:\.|%2e){2}(?:[\\/]|%2f|$)/i;
/** Charts use these for data of the document. */
const OWN_ADDRESS = /^\.{0,2}\/?$/;

/**
 * Notes what goes from the XML of an OpenDocument that LibreOffice wrote. It has neither bounds nor repairs: whatever only shows
 * something keeps its bytes.
 */
export class OpenDocumentResult {
  readonly edits: Edit[] = [];
  readonly #part: string;
  readonly #drops: DropLog;
  readonly #open: Action[] = [];
  /** Number of open elements that go. What is inside is not named. */
  #removed = 0;

  constructor(part: string, drops: DropLog) {
    this.#part = part;
    this.#drops = drops;
  }

  visitor(): XmlVisitor {
    return { '*': { open: (tag) => this.#enter(tag), close: (span) => this.#leave(span) } };
  }

  #enter(tag: OpenTag): void {
    const name = localName(tag.name);
    const action = this.#removed > 0 ? 'keep' : this.#judge(name, tag);
    this.#open.push(action);
    if (action === 'remove') this.#removed++;
    else if (action === 'unwrap') this.#remove(tag.start, tag.end);
    else if (this.#removed === 0) for (const attribute of tag.attributes) this.#vet(name, tag, attribute);
  }

  #leave({ start, closeStart, end }: ElementSpan): void {
    const action = this.#open.pop();
    if (action === 'remove') {
      this.#removed--;
      this.#remove(start, end);
    }
    if (action === 'unwrap' && closeStart < end) this.#remove(closeStart, end);
  }

  #judge(name: string, tag: OpenTag): Action {
    const href = attributeOf(tag, 'href');
    const rule = ELEMENT_RULES.get(name);
    if (rule !== undefined || name === 'event-listener') {
      // LibreOffice writes some of them without content, and the name of a template without its address.
      const isEmpty = name === 'template' ? !href : tag.isEmpty && tag.attributes.length === 0;
      if (isEmpty || (rule?.what === undefined && name !== 'event-listener')) return 'keep';
      this.#drops.add(rule?.what ?? 'macro', this.#part, href ?? attributeOf(tag, 'event-name') ?? name);
      return rule?.action ?? 'remove';
    }
    if (name === 'property' || name === 'list-property') return this.#judgeProperty(tag);
    if (href === undefined || href === '') return 'keep';
    if (LINKS.has(name)) {
      if (isSafeInOpenDocument(href)) return 'keep';
      this.#drops.add('unsafe link', this.#part, href);
      return name === 'a' ? 'unwrap' : 'remove';
    }
    if (!SHOWING.has(name) || !OUTSIDE.test(href.trim())) return 'keep';
    this.#drops.add('external link', this.#part, href);
    return 'remove';
  }

  #judgeProperty(tag: OpenTag): Action {
    const name = attributeOf(tag, 'property-name') ?? '';
    const value = tag.attributes.find((it) => /-value$/.test(it.name))?.value;
    if (!ADDRESS_PROPERTY.test(name) || !value) return 'keep';
    this.#drops.add('data source', this.#part, `${name}: ${value}`);
    return 'remove';
  }

  #vet(name: string, tag: OpenTag, { name: written, value, start, end }: Attribute): void {
    const local = localName(written);
    const isAddress = local === 'href' && !LINKS.has(name) && !SHOWING.has(name) && !OWN_ADDRESS.test(value);
    const isEvent = /^on[a-z]/.test(local);
    const what = isEvent ? 'active content' : ADDRESS_ATTRIBUTES.get(local);
    if (value === '' || (!isAddress && what === undefined)) return;
    this.#drops.add(what ?? (name === 'form' ? 'form action' : 'external link'), this.#part, value);
    this.#remove(tag.start + start, tag.start + end);
  }

  #remove(start: number, end: number): void {
    this.edits.push({ start, end, text: '' });
  }
}

function attributeOf(tag: OpenTag, local: string): string | undefined {
  return tag.attributes.find(({ name }) => localName(name) === local)?.value;
}
