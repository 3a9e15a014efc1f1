import {
  type DropKind,
  type Dropped,
  type Inspector,
  isSafeLink,
  type Part,
} from '@scriptorium/ooxml/package';
import {
  canonicalName,
  type ElementHandler,
  type ElementSpan,
  type XmlVisitor,
} from '@scriptorium/ooxml/xml';

/** What is said of the data source of a mail merge. */
export const MAIL_MERGE = 'mail merge';
/** VML elements that take a picture's address, or that of a link, in an attribute, without a relationship. */
const VML_ELEMENTS =
  'imagedata fill stroke image background shape shapetype rect roundrect oval line polyline arc curve group'
    .split(' ')
    .map((name) => `v:${name}`);
const VML_ADDRESSES: ReadonlySet<string> = new Set(['src', 'o:href', 'o:althref']);
/** An address of VML that leads out of the document. Word keeps names of files there, too. */
const ADDRESS = /^(?:[a-z][\w+.-]+:|[\\/])/i;
/** Characters before an address that readers skip. */
const SKIPPED = /^[\p{C}\p{Z}]+/u;

/** A page of a video service in a picture: Word runs it after a click (MS-DOCX 2.5.5.1). */
const WEB_VIDEO = canonicalName(
  'http://schemas.microsoft.com/office/word/2012/wordprocessingDrawing',
  'webVideoPr',
);
/** Relative links lead to where it says (ECMA-376-1 §22.2.2.13). */
const LINK_BASES = [
  'http://schemas.openxmlformats.org/officeDocument/2006/extended-properties',
  'http://purl.oclc.org/ooxml/officeDocument/extendedProperties',
].map((uri) => canonicalName(uri, 'HyperlinkBase'));

/**
 * Removes what leads out of the document in the XML itself. These are addresses of VML, data sources, bases of links and pages of
 * videos. `keepsNames` keeps names of files in VML.
 */
export function addressAttributes(keepsNames = false): Inspector {
  return { visit: (part, dropped) => visitAddresses(part, dropped, keepsNames) };
}

function visitAddresses(part: Part, dropped: Dropped[], keepsNames: boolean): XmlVisitor {
  const drop = (what: DropKind, detail: string) => dropped.push({ what, part: part.name, detail });
  const remove = ({ start, end }: { start: number; end: number }) =>
    part.edits.push({ start, end, text: '' });
  const vml: ElementHandler = {
    open(tag) {
      for (const { name, value, start, end } of tag.attributes) {
        const isLink = name === 'href' && !isSafeLink(value);
        const isOutside = VML_ADDRESSES.has(name) && ADDRESS.test(value.replace(SKIPPED, ''));
        if (!isLink && !isOutside && (keepsNames || !VML_ADDRESSES.has(name))) continue;
        remove({ start: tag.start + start, end: tag.start + end });
        if (isLink || isOutside) drop(isLink ? 'unsafe link' : 'external relationship', value);
      }
    },
  };
  const removed = (detail: string): ElementHandler => ({
    close(span: ElementSpan) {
      remove(span);
      drop('external relationship', detail);
    },
  });
  let base = '';
  const linkBase: ElementHandler = {
    text: (text) => {
      base += text;
    },
    close(span) {
      if (!isSafeLink(base)) {
        remove(span);
        drop('unsafe link', base);
      }
      base = '';
    },
  };
  return {
    ...Object.fromEntries(VML_ELEMENTS.map((name) => [name, vml])),
    ...Object.fromEntries(LINK_BASES.map((name) => [name, linkBase])),
    'w:mailMerge': removed(MAIL_MERGE),
    [WEB_VIDEO]: removed('web video'),
  };
}
