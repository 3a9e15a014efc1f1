import { randomBytes } from 'node:crypto';
import type { Inspector, Part } from '@scriptorium/ooxml/package';
import { type Edit, type ElementSpan, type OpenTag, prefixAt, type XmlVisitor } from '@scriptorium/ooxml/xml';

/** A link of a text, and the color behind the text that stands for it: six hexadecimal digits. */
export interface TextLink {
  color: string;
  address: string;
}

/** Links of a presentation to different addresses. Further ones stay as they are. */
const ADDRESSES_MAX = 500;
const SLIDE = 'application/vnd.openxmlformats-officedocument.presentationml.slide+xml';
const FILLS = ['a:noFill', 'a:solidFill', 'a:gradFill', 'a:blipFill', 'a:pattFill', 'a:grpFill'];
/** The link has the color of its text (MS-ODRAWXML 2.41). */
const OWN_COLOR = /:hlinkClr\s[^<>]{0,200}\bval="tx"/;
const ALPHA = /:alpha(?:Mod|Off)?[\s/>]/;

/** The properties of a run with a link. */
interface Linked {
  part: Part;
  address: string;
  properties: OpenTag;
  /** What the look of a link replaces. */
  fills: ElementSpan[];
  link: ElementSpan;
  hasOwnColor: boolean;
}

/**
 * Turns links of text on slides into plain text that looks like a link, on a color of its own. LibreOffice makes one field of the
 * text of a link, and breaks its lines between any two letters. `apply` is called once all parts were read; it returns the links.
 * With `isMarked` false, the text gets no color, and the links are lost.
 */
export function textLinks(isMarked: boolean): Inspector & { apply(): TextLink[] } {
  const found: Linked[] = [];
  const colors = new Set<string>();
  return {
    visit(part) {
      const visitor: XmlVisitor = {
        'a:srgbClr': { open: (tag) => void colors.add((tag.attribute('val') ?? '').toLowerCase()) },
      };
      return part.contentType === SLIDE
        ? { ...visitor, ...visitRuns(part, (run) => found.push(run)) }
        : visitor;
    },
    apply() {
      const links = new Map<string, TextLink>();
      for (const run of found) {
        const known = links.get(run.address);
        if (known === undefined && links.size >= ADDRESSES_MAX) continue;
        const link = known ?? { address: run.address, color: unusedColor(colors) };
        links.set(run.address, link);
        run.part.edits.push(...editsOf(run, isMarked ? link.color : undefined));
      }
      return isMarked ? [...links.values()] : [];
    },
  };
}

/** No document knows it, and nothing in this one has it. */
function unusedColor(colors: Set<string>): string {
  for (;;) {
    const color = randomBytes(3).toString('hex');
    if (colors.has(color)) continue;
    colors.add(color);
    return color;
  }
}

function visitRuns(part: Part, add: (run: Linked) => void): XmlVisitor {
  const { xml = '', relationships } = part;
  const addresses = new Map(
    relationships.list.filter(({ isExternal }) => isExternal).map(({ id, target }) => [id, target]),
  );
  let isHidden = false;
  let run: (Partial<Linked> & { fills: ElementSpan[]; isLeft: boolean; text: string }) | undefined;
  const isOwn = ({ depth }: OpenTag): boolean => depth - 1 === run?.properties?.depth;
  let isFill = false;
  const fill = {
    open(tag: OpenTag) {
      isFill = isOwn(tag);
    },
    close(span: ElementSpan) {
      if (isFill) run?.fills.push(span);
      isFill = false;
    },
  };
  return {
    'p:sld': {
      open(tag) {
        isHidden = /^(?:0|false)$/.test(tag.attribute('show') ?? '');
      },
    },
    'a:r': {
      open() {
        run = isHidden || addresses.size === 0 ? undefined : { part, fills: [], isLeft: false, text: '' };
      },
      close() {
        const { address, properties, link, isLeft, text = '', hasOwnColor = false, fills = [] } = run ?? {};
        if (address && properties && link && !isLeft && text.trim() !== '')
          add({ part, address, properties, link, hasOwnColor, fills: hasOwnColor ? [] : fills });
        run = undefined;
      },
    },
    'a:rPr': {
      open(tag) {
        if (run) run.properties ??= tag;
      },
    },
    'a:t': {
      text(text) {
        if (run) run.text += text;
      },
    },
    'a:highlight': {
      open(tag) {
        if (run && isOwn(tag)) run.isLeft = true;
      },
    },
    'a:hlinkClick': {
      open(tag) {
        if (run && isOwn(tag) && !tag.attribute('action'))
          run.address = addresses.get(tag.attribute('r:id') ?? '');
      },
      close(span) {
        if (run?.address === undefined || run.link) return;
        run.link = span;
        run.hasOwnColor = OWN_COLOR.test(xml.slice(span.start, span.end));
        // LibreOffice draws translucent text in a form XObject.
        if (run.hasOwnColor)
          run.isLeft ||= run.fills.some(({ start, end }) => ALPHA.test(xml.slice(start, end)));
      },
    },
    ...Object.fromEntries(FILLS.map((name) => [name, fill])),
  };
}

function editsOf(
  { part: { xml = '' }, properties, fills, link, hasOwnColor }: Linked,
  color: string | undefined,
): Edit[] {
  const prefix = prefixAt(xml, properties);
  const look = hasOwnColor
    ? ''
    : `<${prefix}solidFill><${prefix}schemeClr val="hlink"/></${prefix}solidFill>`;
  const mark =
    color === undefined ? '' : `<${prefix}highlight><${prefix}srgbClr val="${color}"/></${prefix}highlight>`;
  const line = properties.attributes.find(({ name }) => name === 'u');
  const at = line ? properties.start + line.start : properties.end - 1;
  return [
    ...fills.map(({ start, end }) => ({ start, end, text: '' })),
    { start: link.start, end: link.end, text: look + mark },
    { start: at, end: line ? properties.start + line.end : at, text: line ? 'u="sng"' : ' u="sng"' },
  ];
}
