import type { ElementSpan, OpenTag, XmlVisitor } from '@scriptorium/ooxml/xml';
import type { StyleUse } from './look/look.ts';
import type { Field, PartScan, Section, SiteKind } from './part-facts.ts';

const STYLES = { 'w:pStyle': 'paragraph', 'w:rStyle': 'character', 'w:tblStyle': 'table' } as const;
/** Elements with an id that is one of a sequence over the whole document (ECMA-376-1 §17.13). */
const ANNOTATIONS =
  /^w:(ins|del|moveFrom|moveTo|cellIns|cellDel|cellMerge|[a-z]+Change|bookmark(Start|End)|perm(Start|End)|move(From|To)Range(Start|End)|customXml(Ins|Del|MoveFrom|MoveTo)Range(Start|End))$/i;
const THEMED = /[Tt]heme|^(?:a|w14):schemeClr$/;
/** Names the drawing of a diagram, by a relationship of the part that contains the diagram ([MS-ODRAWXML] 2.11.1.3). */
const DIAGRAM = /[:}]dataModelExt$/;
const FONTS = /^a:(?:latin|ea|cs|sym)$/;
const BODIES = new Set(['w:body', 'w:footnotes', 'w:endnotes', 'w:comments', 'w:fonts', 'w:docParts']);
const OTHER_BODIES = /\}(commentsEx|commentsIds|commentsExtensible|people)$|^w15:(commentsEx|people)$/;
/** The stores of the properties of a document, which the merged document has once. */
const PROPERTY_STORES =
  /6C3C8BC8-F283-45AE-878A-BAB7291924A1|6668398D-A668-4E3E-A5EB-62B293D839F1|55AF091B-3C7A-41E3-B477-F2FDAA23CFDA/i;

interface Frame {
  name: string;
  tag: OpenTag;
  /** Only for a paragraph or table. */
  properties?: ElementSpan;
  propertiesTag?: OpenTag;
  hasStyle?: boolean;
  hasSection?: boolean;
  isTracked?: boolean;
  change?: number;
  section?: Section;
  key?: string;
}

interface OpenField {
  field: Field;
  isInstruction: boolean;
}

/** Collects a `PartScan` while the part is read. */
export class PartScanner {
  readonly scan: PartScan = {
    sites: [],
    unstyled: [],
    sections: [],
    fields: [],
    blocks: [],
    themed: [],
    removable: [],
    body: undefined,
    root: undefined,
  };
  readonly #stack: Frame[] = [];
  readonly #openFields: OpenField[] = [];
  /** The styles of the tables that are open. A text box is outside of the table that contains it. */
  readonly #tables: (string | undefined)[] = [];
  #footnotes = 0;
  #endnotes = 0;
  readonly #xml: string;

  constructor(xml: string) {
    this.#xml = xml;
  }

  readonly visitor: XmlVisitor = {
    '*': { open: (tag) => this.#enter(tag), close: (span) => this.#leave(span) },
    'w:instrText': { text: (text, start, end) => this.#instruction(text, start, end) },
  };

  #enter(tag: OpenTag): void {
    const { name, attributes } = tag;
    const parent = this.#stack.at(-1);
    if (parent === undefined) this.scan.root = { start: tag.start, end: tag.end };
    const frame: Frame = { name, tag };
    this.#stack.push(frame);
    for (const attribute of attributes) {
      if (attribute.name.startsWith('r:') || attribute.name === 'o:relid')
        this.#site('relationship', tag, attribute.name);
      else if (
        attribute.name === 'w14:paraId' ||
        attribute.name.endsWith(':paraIdParent') ||
        attribute.name.endsWith('}paraId') ||
        attribute.name === 'w15:paraId' ||
        attribute.name.endsWith('}paraIdParent')
      )
        this.#site('paragraph', tag, attribute.name);
      else if (attribute.name.endsWith('}durableId')) this.#site('durable', tag, attribute.name);
      else if (attribute.name.endsWith('}itemID')) this.#site('store', tag, attribute.name);
    }
    if (isThemed(tag)) this.scan.themed.push(tag);
    if (name.startsWith('w:')) this.#word(tag, parent, frame);
    else if (name === 'w15:dataBinding') this.#site('store', tag, 'w:storeItemID');
    else if (name === 'wp:docPr') this.#site('drawing', tag, 'id');
    else if (name === 'wps:txbx' || name === 'wps:linkedTxbx') this.#site('textBox', tag, 'id');
    else if (DIAGRAM.test(name)) this.#site('diagram', tag, 'relId');
  }

  #word(tag: OpenTag, parent: Frame | undefined, frame: Frame): void {
    const { name } = tag;
    if (name === 'w:tbl') this.#tables.push('');
    else if (name === 'w:txbxContent') this.#tables.push(undefined);
    else if (isStyle(name)) {
      const type = STYLES[name];
      if (type === 'table' && parent?.name === 'w:tblPr' && this.#stack.at(-3)?.name === 'w:tbl')
        this.#tables[this.#tables.length - 1] = tag.attribute('w:val') ?? '';
      this.#site('style', tag, 'w:val', { type, table: this.#tables.at(-1) });
      const owner = this.#stack.at(-3);
      if (owner && ((name === 'w:pStyle' && parent?.name === 'w:pPr') || name === 'w:tblStyle'))
        owner.hasStyle = true;
    } else if (name === 'w:numId') this.#site('list', tag, 'w:val');
    else if (ANNOTATIONS.test(name)) {
      this.#site('annotation', tag, 'w:id');
      const isOfMark = parent?.name === 'w:rPr' && this.#stack.at(-3)?.name === 'w:pPr';
      const paragraph = isOfMark ? this.#stack.at(-4) : undefined;
      if (paragraph?.name === 'w:p' && /^w:(ins|del|moveFrom|moveTo)$/.test(name)) paragraph.isTracked = true;
      if (name === 'w:bookmarkStart' || name.endsWith('RangeStart')) this.#site('bookmark', tag, 'w:name');
      if (name === 'w:pPrChange' && parent?.name === 'w:pPr') {
        const owner = this.#stack.at(-3);
        if (owner?.name === 'w:p') owner.change = tag.start;
      }
    } else if (name === 'w:hyperlink') {
      // With a relationship, the place is in another document.
      if (!tag.attribute('r:id')) this.#site('anchor', tag, 'w:anchor');
    } else if (name === 'w:footnoteReference' || name === 'w:endnoteReference') this.#note(tag);
    else if (name.startsWith('w:comment')) {
      if (name !== 'w:comments') this.#site('comment', tag, 'w:id');
    } else if (name === 'w:footnote') this.#site('footnote', tag, 'w:id');
    else if (name === 'w:endnote') this.#site('endnote', tag, 'w:id');
    else if (name === 'w:id' && parent?.name === 'w:sdtPr') this.#site('control', tag, 'w:val');
    else if (name === 'w:dataBinding') this.#site('store', tag, 'w:storeItemID');
    else if (name === 'w:docPart' && parent?.name === 'w:placeholder') this.#site('docPart', tag, 'w:val');
    else if (name === 'w:name' && parent?.name === 'w:ffData') this.#site('anchor', tag, 'w:val');
    else if (name === 'w:name' && parent?.name === 'w:docPartPr') {
      const part = this.#stack.at(-3);
      if (part?.name === 'w:docPart') part.key = tag.attribute('w:val') ?? '';
    } else if (name === 'w:sectPr') this.#section(tag, parent, frame);
    else if (name === 'w:fldChar') this.#fieldChar(tag);
  }

  #note(tag: OpenTag): void {
    const isFootnote = tag.name === 'w:footnoteReference';
    this.#site(isFootnote ? 'footnote' : 'endnote', tag, 'w:id');
    const hasNumber = !['1', 'true', 'on'].includes(tag.attribute('w:customMarkFollows') ?? '');
    if (isFootnote) this.#footnotes += Number(hasNumber);
    else this.#endnotes += Number(hasNumber);
  }

  #section(tag: OpenTag, parent: Frame | undefined, frame: Frame): void {
    const isLast = parent?.name === 'w:body';
    const owner = isLast ? undefined : this.#stack.at(-3);
    if (!isLast && (parent?.name !== 'w:pPr' || owner?.name !== 'w:p')) return;
    if (owner) owner.hasSection = true;
    frame.section = {
      start: tag.start,
      openEnd: tag.end,
      closeStart: tag.end,
      end: tag.end,
      children: [],
      isLast,
      footnotes: this.#footnotes,
      endnotes: this.#endnotes,
    };
    this.scan.sections.push(frame.section);
  }

  #fieldChar(tag: OpenTag): void {
    const type = tag.attribute('w:fldCharType');
    const top = this.#openFields.at(-1);
    if (type === 'begin')
      this.#openFields.push({
        field: { instruction: '', pieces: [], result: { start: tag.start, end: tag.start } },
        isInstruction: true,
      });
    else if (top !== undefined && type === 'separate') {
      top.isInstruction = false;
      top.field.result.start = tag.end;
    } else if (top !== undefined && type === 'end') {
      this.#openFields.pop();
      // A field without a separator has no result.
      top.field.result.end = top.isInstruction ? top.field.result.start : tag.start;
      this.scan.fields.push(top.field);
    }
  }

  #instruction(text: string, start: number, end: number): void {
    const top = this.#openFields.at(-1);
    if (!top?.isInstruction) return;
    top.field.instruction += text;
    top.field.pieces.push({ start, end, text });
  }

  #simpleField(tag: OpenTag, { openEnd, closeStart }: ElementSpan): void {
    const value = this.#valueOf(tag, 'w:instr');
    if (value === undefined) return;
    const { start, end, value: text } = value;
    this.scan.fields.push({
      instruction: text,
      pieces: [{ start, end, text }],
      result: { start: openEnd, end: closeStart },
    });
  }

  #site(kind: SiteKind, tag: OpenTag, attribute: string, use?: StyleUse): void {
    const value = this.#valueOf(tag, attribute);
    if (value !== undefined)
      this.scan.sites.push(use === undefined ? { kind, ...value } : { kind, ...value, use });
  }

  #valueOf(tag: OpenTag, name: string): { start: number; end: number; value: string } | undefined {
    const found = tag.attributes.find((attribute) => attribute.name === name);
    if (found === undefined) return undefined;
    const end = tag.start + found.end - 1;
    const quote = this.#xml[end] ?? '"';
    const start = this.#xml.indexOf(quote, tag.start + found.start) + 1;
    return { start, end, value: found.value };
  }

  #leave(span: ElementSpan): void {
    const frame = this.#stack.pop();
    const parent = this.#stack.at(-1);
    if (frame === undefined) return;
    const { name, tag } = frame;
    if (frame.section !== undefined) Object.assign(frame.section, span);
    if (name === 'w:fldSimple') this.#simpleField(tag, span);
    if (parent?.section !== undefined)
      parent.section.children.push({
        ...span,
        name,
        type: tag.attribute('w:type'),
        id: tag.attribute('r:id'),
      });
    if (name === 'w:pPr' && parent?.name === 'w:p') parent.properties = span;
    else if (name === 'w:tblPr' && parent?.name === 'w:tbl') parent.properties = span;
    else if ((name === 'w:p' || name === 'w:tbl') && frame.hasStyle !== true)
      this.#addUnstyled(name, frame, span);
    else if (name === 'w:bookmarkStart' && tag.attribute('w:name') === '_GoBack')
      this.scan.removable.push({ ...span, kind: 'cursor', value: tag.attribute('w:id') ?? '' });
    else if (name === 'w:bookmarkEnd')
      this.scan.removable.push({ ...span, kind: 'end', value: tag.attribute('w:id') ?? '' });
    else if (name.endsWith(':dataBinding') && PROPERTY_STORES.test(tag.attribute('w:storeItemID') ?? ''))
      this.scan.removable.push({ ...span, kind: 'binding', value: '' });
    else if (name === 'w:body') this.#keepLastSection();
    if (name === 'w:tbl' || name === 'w:txbxContent') this.#tables.pop();
    if (BODIES.has(name) || OTHER_BODIES.test(name)) this.scan.body ??= span;
    if (parent !== undefined && (BODIES.has(parent.name) || OTHER_BODIES.test(parent.name)))
      this.#addBlock(frame, span);
  }

  /** Documents that were joined by simple means have section properties amid their body. */
  #keepLastSection(): void {
    const ends = this.scan.sections.filter(({ isLast }) => isLast);
    const last = ends.pop();
    this.scan.sections = this.scan.sections.filter((section) => !section.isLast || section === last);
    for (const span of ends) this.scan.removable.push({ ...span, kind: 'section', value: '' });
  }

  #addUnstyled(name: 'w:p' | 'w:tbl', { properties }: Frame, span: ElementSpan): void {
    const kind = name === 'w:p' ? 'paragraph' : 'table';
    if (properties === undefined && kind === 'table') return;
    const hasProperties = properties !== undefined;
    this.scan.unstyled.push({ kind, holder: properties ?? span, hasProperties, table: this.#tables.at(-1) });
  }

  #addBlock({ name, tag, properties, hasSection, isTracked, change, key }: Frame, span: ElementSpan): void {
    const paragraph = tag.attributes.find((attribute) => /paraId$/.test(attribute.name))?.value;
    this.scan.blocks.push({
      ...span,
      name,
      key: key ?? tag.attribute('w:id') ?? tag.attribute('w:name') ?? paragraph,
      type: tag.attribute('w:type'),
      properties,
      change,
      hasSection: hasSection === true,
      isTracked: isTracked === true,
    });
  }
}

function isStyle(name: string): name is keyof typeof STYLES {
  return Object.hasOwn(STYLES, name);
}

/** Whether fonts or colors of a tag are those of the theme (ECMA-376-1 §20.1.4.1.16, §20.1.2.3.29). */
function isThemed({ name, attributes }: OpenTag): boolean {
  if (THEMED.test(name) || attributes.some((attribute) => THEMED.test(attribute.name))) return true;
  return (
    FONTS.test(name) &&
    attributes.some((attribute) => attribute.name === 'typeface' && attribute.value.startsWith('+'))
  );
}
