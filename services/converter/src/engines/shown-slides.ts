import { Budget } from '@scriptorium/ooxml/bounds';
import { openPackage, type Part, POWERPOINT_PACKAGE } from '@scriptorium/ooxml/package';
import type { XmlVisitor } from '@scriptorium/ooxml/xml';
import { asBuffer } from '@scriptorium/shared/threads/thread';
import { type ConversionRequest, EngineError } from './engine.ts';
import { scanParts } from './scan-parts.ts';

type PagesRequest = Pick<ConversionRequest, 'from' | 'pages'>;

/** ECMA-376-1 §19.3.1.38. */
const HIDDEN = new Set(['0', 'false']);

/** Whether each slide is shown, in the order of the slides (ECMA-376-1 §19.2.1.33). */
async function slidesOfPptx(bytes: Buffer): Promise<boolean[]> {
  const hidden = new Set<string>();
  const ids: (string | undefined)[] = [];
  const visit = ({ key }: Part): XmlVisitor => ({
    'p:sld': { open: (tag) => void (HIDDEN.has(tag.attribute('show') ?? '') && hidden.add(key)) },
    'p:sldId': { open: (tag) => void ids.push(tag.attribute('r:id')) },
  });
  const { main } = await openPackage(bytes, [{ visit }], new Budget(), POWERPOINT_PACKAGE);
  return ids.flatMap((id) => {
    const slide = main.relationships.list.find((relationship) => relationship.id === id)?.part;
    return slide === undefined ? [] : [!hidden.has(slide)];
  });
}

/**
 * The same of OpenDocument 1.3 part 3: a slide (§10.2.4) has a style, which may hide it (§20.381). Throws `unsupported` if such
 * a style may be inherited.
 */
async function slidesOfOdp(bytes: Buffer): Promise<boolean[]> {
  const hidden = new Set<string>();
  const stylesOfSlides: string[] = [];
  const inheritable = new Set<string>();
  let style = '';
  const visitor = (isContent: boolean): XmlVisitor => ({
    '*': {
      open({ name, attributes }) {
        const value = (ending: string) =>
          attributes.find((attribute) => attribute.name.endsWith(ending))?.value ?? '';
        if (name.endsWith(':style:1.0}style')) {
          style = value(':style:1.0}name');
          inheritable.add(value('parent-style-name'));
        } else if (name.endsWith('drawing-page-properties') && value('visibility') === 'hidden') {
          if (!isContent) inheritable.add(style);
          hidden.add(style);
        } else if (isContent && name.endsWith(':drawing:1.0}page'))
          stylesOfSlides.push(value(':drawing:1.0}style-name'));
      },
    },
  });
  await scanParts(bytes, (name) =>
    name === 'content.xml' || name === 'styles.xml' ? visitor(name === 'content.xml') : undefined,
  );
  if ([...hidden].some((name) => inheritable.has(name)))
    throw new EngineError('unsupported', 'slides may inherit a style that hides them');
  return stylesOfSlides.map((name) => !hidden.has(name));
}

/** Numbers from `first` to `last`. */
const between = (first: number, last: number): number[] =>
  Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at);

/** The slides of a range of pages, `1-3,5` or `7-`. */
function slidesOf(range: string, slides: readonly boolean[]): string {
  const shown = slides.flatMap((isShown, at) => (isShown ? [at + 1] : []));
  return range
    .split(',')
    .flatMap((part) => {
      const [first = '', last = first] = part.split('-');
      const end = last === '' ? shown.length : Math.min(Number(last), shown.length);
      return between(Number(first), end).map((page) => shown[page - 1]);
    })
    .join(',');
}

/**
 * The request for engines that hand a range of pages to LibreOffice as it is. LibreOffice counts hidden slides of a presentation,
 * but does not export them. So the range becomes one of slides. Pages that do not exist are left out, and a range of only such
 * pages is kept. Rejects with `unsupported` if the hidden slides cannot be found.
 */
export async function countingHiddenSlides<T extends PagesRequest>(
  input: Uint8Array,
  request: T,
): Promise<T> {
  const { from, pages } = request;
  if (pages === undefined || (from !== 'pptx' && from !== 'odp')) return request;
  const bytes = asBuffer(input);
  const slides = from === 'pptx' ? await slidesOfPptx(bytes) : await slidesOfOdp(bytes);
  return { ...request, pages: slidesOf(pages, slides) || pages };
}
