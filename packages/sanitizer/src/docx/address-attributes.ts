import type { Dropped, Inspector, Part } from '@scriptorium/ooxml/package';
import type { OpenTag, XmlVisitor } from '@scriptorium/ooxml/xml';

/** VML elements that take a picture's address in an attribute, without a relationship. */
export const VML_ELEMENTS = [
  'v:imagedata',
  'v:fill',
  'v:stroke',
  'v:image',
  'v:background',
  'v:shape',
  'v:rect',
  'v:roundrect',
  'v:oval',
  'v:line',
  'v:polyline',
  'v:arc',
  'v:curve',
  'v:group',
];
export const VML_ADDRESSES: ReadonlySet<string> = new Set(['src', 'o:href', 'o:althref']);

function visitAddresses(part: Part, dropped: Dropped[]): XmlVisitor {
  const open = (tag: OpenTag) => {
    for (const { name, value, start, end } of tag.attributes) {
      if (!VML_ADDRESSES.has(name)) continue;
      part.edits.push({ start: tag.start + start, end: tag.start + end, text: '' });
      // Word keeps the file name of a picture's source. Only an address is a loss.
      if (name === 'src' && /^[a-z][\w+.-]+:/i.test(value))
        dropped.push({ what: 'external relationship', part: part.name, detail: value });
    }
  };
  const mailMerge = {
    close({ start, end }: { start: number; end: number }) {
      part.edits.push({ start, end, text: '' });
      dropped.push({ what: 'external relationship', part: part.name, detail: 'mail merge' });
    },
  };
  return { ...Object.fromEntries(VML_ELEMENTS.map((name) => [name, { open }])), 'w:mailMerge': mailMerge };
}

/** Removes addresses in the XML itself: of VML pictures, and of the data source of a mail merge. */
export function addressAttributes(): Inspector {
  return { visit: visitAddresses };
}
