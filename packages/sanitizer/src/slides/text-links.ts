import { randomBytes } from 'node:crypto';
import type { Inspector, Part } from '@scriptorium/ooxml/package';
import { type Edit, type ElementSpan, type OpenTag, prefixAt, type XmlVisitor } from '@scriptorium/ooxml/xml';

/** A link of a text, and the color behind the text that stands for it: six hexadecimal digits. */
export interface TextLink {
  color: string;
  address: string;
  /** Instead of the address: the number of a slide among those that are shown, from 0. */
  page?: number;
}

/** Links of a presentation to different addresses. Further ones stay as they are. */
const ADDRESSES_MAX = 500;
/** Jumps to a slide (MS-OE376 2.1.1264). */
const JUMP = 'ppaction://hlinksldjump';
const SLIDE = 'application/vnd.openxmlformats-officedocument.presentationml.slide+xml';
const FILLS = ['a:noFill', 'a:solidFill', 'a:gradFill', 'a:blipFill', 'a:pattFill', 'a:grpFill'];
/** The link has the color of its text (MS-ODRAWXML 2.41). */
const OWN_COLOR = /:hlinkClr\s[^<>]{0,200}\bval="tx"/;
const ALPHA = /:alpha(?:Mod|Off)?[\s/>]/;

/** The properties of a run with a link. */
interface Linked {
  part: Part;
  /** An address, or the key of a slide. */
  address: string;
  isJump: boolean;
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
  const slides: string[] = [];
  const hidden = new Set<string>();
  return {
    visit(part) {
      const visitor: XmlVisitor = {
        'a:srgbClr': { open: (tag) => void colors.add((tag.attribute('val') ?? '').toLowerCase()) },
        'p:sldId': {
          open(tag) {
            const id = tag.attribute('r:id');
            const slide = part.relationships.list.find((link) => link.id === id)?.part;
            if (slide !== undefined) slides.push(slide);
          },
        },
      };
      return part.contentType === SLIDE
        ? { ...visitor, ...visitRuns(part, hidden, (run) => found.push(run)) }
        : visitor;
    },
    apply() {
      const links = new Map<string, TextLink>();
      const shown = slides.filter((slide) => !hidden.has(slide));
      for (const run of found) {
        const page = run.isJump ? shown.indexOf(run.address) : undefined;
        if (page === -1) {
          run.part.edits.push(...editsOf(run, undefined));
          continue;
        }
        const key = `${page} ${run.address}`;
        const known = links.get(key);
        if (known === undefined && links.size >= ADDRESSES_MAX) continue;
        const link = known ?? {
          color: unusedColor(colors),
          address: page === undefined ? run.address : '',
          ...(page !== undefined && { page }),
        };
        links.set(key, link);
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

function visitRuns(part: Part, hidden: Set<string>, add: (run: Linked) => void): XmlVisitor {
  const { xml = '', relationships } = part;
  const targets = new Map(relationships.list.map((link) => [link.id, link]));
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
        if (isHidden) hidden.add(part.key);
      },
    },
    'a:r': {
      open() {
        run = isHidden || targets.size === 0 ? undefined : { part, fills: [], isLeft: false, text: '' };
      },
      close() {
        const { address, isJump = false, properties, link, isLeft, text = '' } = run ?? {};
        const { hasOwnColor = false, fills = [] } = run ?? {};
        if (address && properties && link && !isLeft && text.trim() !== '')
          add({ part, address, isJump, properties, link, hasOwnColor, fills: hasOwnColor ? [] : fills });
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
        const target = targets.get(tag.attribute('r:id') ?? '');
        if (run === undefined || !isOwn(tag) || target === undefined) return;
        const action = tag.attribute('action') ?? '';
        run.isJump = action === JUMP && target.part !== undefined;
        if (run.isJump || (action === '' && target.isExternal)) run.address = target.part ?? target.target;
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
