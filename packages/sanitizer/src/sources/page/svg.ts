import { rasterize, SvgRefusal } from '@scriptorium/images/svg';
import { OoxmlError } from '@scriptorium/ooxml/error';
import { escapeXml, FORBIDDEN_CHARACTERS, XmlError } from '@scriptorium/ooxml/xml';
import { elementsOf, type PageElement } from './tree.ts';
import type { Draw } from './writer.ts';

/** Drawing one takes up to 200 ms. */
const DRAWINGS_MAX = 50;

/** Attributes of SVG that the parser of HTML writes in small letters (HTML §13.2.6.1). */
const NAMES: ReadonlyMap<string, string> = new Map(
  `attributeName baseFrequency clipPathUnits diffuseConstant edgeMode filterUnits gradientTransform gradientUnits
  kernelMatrix lengthAdjust markerHeight markerUnits markerWidth maskContentUnits maskUnits numOctaves pathLength
  patternContentUnits patternTransform patternUnits preserveAspectRatio primitiveUnits refX refY spreadMethod
  startOffset stdDeviation stitchTiles surfaceScale tableValues textLength viewBox xChannelSelector yChannelSelector`
    .split(/\s+/)
    .map((name) => [name.toLowerCase(), name]),
);
const NAME = /^[A-Za-z][\w-]*(?::[A-Za-z][\w-]*)?$/;
const FORBIDDEN = new RegExp(`[${FORBIDDEN_CHARACTERS}]`, 'g');
const written = (text: string): string => escapeXml(text.replace(FORBIDDEN, '\ufffd'));

/** An SVG picture in HTML as XML. */
function xmlOf(element: PageElement): string {
  const attributes = Object.entries(element.attributes).map(([name, value]) => {
    const isPlain = NAME.test(name) && !name.startsWith('xmlns') && !name.startsWith('on');
    return isPlain ? ` ${NAMES.get(name) ?? name}="${written(value)}"` : '';
  });
  const spaces =
    element.name === 'svg'
      ? ' xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
      : '';
  const content = element.children.map((child) =>
    typeof child === 'string' ? written(child) : xmlOf(child),
  );
  return NAME.test(element.name)
    ? `<${element.name}${spaces}${attributes.join('')}>${content.join('')}</${element.name}>`
    : content.join('');
}

const USE = new Set(['use']);

/** The ids of the elements that are drawn. */
function idsIn({ name, attributes, children }: PageElement, ids = new Set<string>()): ReadonlySet<string> {
  if (attributes.id !== undefined && NAME.test(name)) ids.add(attributes.id);
  for (const child of children) if (typeof child !== 'string') idsIn(child, ids);
  return ids;
}

/** Whether a picture of the page has all that it repeats. */
function refersInside(svg: PageElement): boolean {
  const ids = idsIn(svg);
  return elementsOf(svg, USE).every(({ attributes }) => {
    const address = attributes.href ?? attributes['xlink:href'] ?? '';
    return ids.has(address.slice(1));
  });
}

/** The bytes of a picture in the page, or in the address of one. */
function bytesOf(element: PageElement): Buffer {
  if (element.name === 'svg') return Buffer.from(xmlOf(element));
  const { src = '' } = element.attributes;
  const comma = src.indexOf(',');
  const isBase64 = /;\s*base64\s*$/i.test(src.slice(0, Math.min(comma, 100)));
  if (isBase64) return Buffer.from(src.slice(comma + 1), 'base64');
  return Buffer.from(
    src
      .slice(comma + 1)
      .replace(/(?:%[\da-f]{2})+/gi, (codes) => Buffer.from(codes.replaceAll('%', ''), 'hex').toString()),
  );
}

/** Draws the SVG pictures of a page. `onRefused` is called for those that cannot be drawn as browsers do. */
export function drawerOf(part: string, onRefused: () => void): Draw {
  let count = 0;
  return async (element) => {
    try {
      const isLeft = ++count <= DRAWINGS_MAX && refersInside(element);
      const picture = isLeft ? await rasterize(bytesOf(element), part) : undefined;
      if (picture !== undefined && !picture.isTextMissing)
        return { ...picture, src: `data:image/png;base64,${picture.png.toString('base64')}` };
    } catch (error) {
      if (!(error instanceof SvgRefusal || error instanceof XmlError || error instanceof OoxmlError))
        throw error;
    }
    onRefused();
    return undefined;
  };
}
