import { Budget } from '@scriptorium/ooxml/bounds';
import { decodeXml, scanXml, type XmlVisitor } from '@scriptorium/ooxml/xml';
import { readArchive, unpackEntry } from '@scriptorium/ooxml/zip';
import { type ConversionRequest, EngineError } from '../engine.ts';

/** ECMA-376-1 §19.3.1.38. */
const HIDDEN = new Set(['0', 'false']);

function refuse(): never {
  throw new EngineError('unsupported', 'LibreOffice counts hidden slides in a range of pages');
}

/** Throws at a slide that is hidden, or at a style of slides that hides them (OpenDocument 1.3 part 3, §20.381). */
const REFUSED: XmlVisitor = {
  'p:sld': {
    open: (tag) => void (HIDDEN.has(tag.attribute('show') ?? '') && refuse()),
  },
  '*': {
    open({ name, attributes }) {
      if (!name.endsWith('drawing-page-properties')) return;
      if (
        attributes.some((attribute) => attribute.name.endsWith('visibility') && attribute.value === 'hidden')
      )
        refuse();
    },
  },
};

/**
 * For engines that hand a range of pages to LibreOffice as it is: rejects with `unsupported` if the request has one, and the
 * presentation has hidden slides. LibreOffice does not export these, but counts them.
 */
export async function requireCountedSlides(
  input: Uint8Array,
  { from, pages }: Pick<ConversionRequest, 'from' | 'pages'>,
): Promise<void> {
  if (pages === undefined || (from !== 'pptx' && from !== 'odp')) return;
  const budget = new Budget();
  for (const entry of (await readArchive(Buffer.from(input), budget)).values()) {
    if (!entry.name.endsWith('.xml')) continue;
    const { xml } = decodeXml(unpackEntry(entry, budget));
    scanXml(xml, [REFUSED], { budget, part: entry.name });
  }
}
