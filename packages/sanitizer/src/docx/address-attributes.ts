import type { Dropped, Inspector, Part } from '@scriptorium/ooxml/package';
import type { OpenTag, XmlVisitor } from '@scriptorium/ooxml/xml';

/** VML elements that take a picture's address in an attribute, past all relationships. */
const ELEMENTS = [
  'v:imagedata',
  'v:fill',
  'v:stroke',
  'v:image',
  'v:background',
  'v:shape',
  'v:rect',
  'v:oval',
];
const ATTRIBUTES = new Set(['src', 'o:href', 'o:althref']);

function visitAddresses(part: Part, dropped: Dropped[]): XmlVisitor {
  const open = (tag: OpenTag) => {
    for (const { name, value, start, end } of tag.attributes) {
      if (!ATTRIBUTES.has(name)) continue;
      part.edits.push({ start: tag.start + start, end: tag.start + end, text: '' });
      // Word leaves the name of the file that a picture came from; only with an address there is something lost.
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
  return { ...Object.fromEntries(ELEMENTS.map((name) => [name, { open }])), 'w:mailMerge': mailMerge };
}

/** Takes out addresses that stand in the XML itself: of VML pictures, and of mail merge's data source. */
export function addressAttributes(): Inspector {
  return { visit: visitAddresses };
}
