import type { XmlVisitor } from '@scriptorium/ooxml/xml';
import { asBuffer } from '@scriptorium/shared/threads/thread';
import { type ConversionRequest, EngineError } from '../engine.ts';
import { scanParts } from './scan-parts.ts';

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
  await scanParts(asBuffer(input), (name) => (name.endsWith('.xml') ? REFUSED : undefined));
}
