import { ancestorsOf, attributeOf, childOf, type XmlNode } from '@scriptorium/ooxml/xml';
import { EMU_PER_TWIP, type Room, twipsOf } from './measures.ts';

/** Default insets of a text box (ECMA-376-1 §21.1.2.1.1). */
const INSETS_EMU = { lIns: 91_440, rIns: 91_440, tIns: 45_720, bIns: 45_720 };
const SIDE_EMU_MIN = 95_250;

/** The room inside a text box, DrawingML or VML. Undefined if its shape has no size. */
export function shapeRoom(text: XmlNode): Room | undefined {
  for (const shape of ancestorsOf(text)) {
    if (shape.name === 'wps:wsp') return drawnRoom(shape);
    if (shape.name.startsWith('v:') && shape.name !== 'v:textbox') return vectorRoom(shape);
  }
  return undefined;
}

function drawnRoom(shape: XmlNode): Room | undefined {
  const size = drawnSize(shape);
  if (size === undefined) return undefined;
  const body = childOf(shape, 'wps:bodyPr');
  const inset = (side: keyof typeof INSETS_EMU) => numberOf(body, side) ?? INSETS_EMU[side];
  const grows = body !== undefined && childOf(body, 'a:spAutoFit') !== undefined;
  return {
    widthEmu: Math.max(size.widthEmu - inset('lIns') - inset('rIns'), SIDE_EMU_MIN),
    heightEmu: grows ? Infinity : Math.max(size.heightEmu - inset('tIns') - inset('bIns'), SIDE_EMU_MIN),
  };
}

/** Shapes in a group use the units of the group (§20.1.7.5). */
function drawnSize(shape: XmlNode): Room | undefined {
  const size = extentIn(childOf(shape, 'wps:spPr'), 'a:ext');
  for (const outer of ancestorsOf(shape)) {
    if (outer.name === 'wp:inline' || outer.name === 'wp:anchor') return size ?? extentOf(outer, 'wp:extent');
    const properties = childOf(outer, 'wpg:grpSpPr');
    const [whole, units] = [extentIn(properties, 'a:ext'), extentIn(properties, 'a:chExt')];
    if (whole === undefined || units === undefined || size === undefined) continue;
    size.widthEmu *= whole.widthEmu / (units.widthEmu || 1);
    size.heightEmu *= whole.heightEmu / (units.heightEmu || 1);
  }
  return size;
}

function extentIn(properties: XmlNode | undefined, name: string): Room | undefined {
  const transform = properties && childOf(properties, 'a:xfrm');
  return transform && extentOf(transform, name);
}

function extentOf(node: XmlNode, name: string): Room | undefined {
  const extent = childOf(node, name);
  const [widthEmu, heightEmu] = [numberOf(extent, 'cx'), numberOf(extent, 'cy')];
  return widthEmu === undefined || heightEmu === undefined ? undefined : { widthEmu, heightEmu };
}

function numberOf(node: XmlNode | undefined, attribute: string): number | undefined {
  const value = node && attributeOf(node, attribute);
  return value === undefined || !/^-?\d+$/.test(value) ? undefined : Number(value);
}

/** From its style, if that has units. Inside a VML group it has none. */
function vectorRoom(shape: XmlNode): Room | undefined {
  const style = attributeOf(shape, 'style') ?? '';
  const side = (name: string) =>
    twipsOf(new RegExp(`(?:^|;)\\s*${name}\\s*:\\s*([\\d.]+(?:pt|in|cm|mm|pc))`).exec(style)?.[1]);
  const [width, height] = [side('width'), side('height')];
  if (width === undefined || height === undefined) return undefined;
  const { lIns, rIns, tIns, bIns } = INSETS_EMU;
  return {
    widthEmu: Math.max(width * EMU_PER_TWIP - lIns - rIns, SIDE_EMU_MIN),
    heightEmu: Math.max(height * EMU_PER_TWIP - tIns - bIns, SIDE_EMU_MIN),
  };
}
