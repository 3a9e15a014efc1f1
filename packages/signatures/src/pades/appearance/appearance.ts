import type { PlacedImage } from '@scriptorium/pdf/images';
import type { Page, Ref } from '@scriptorium/pdf/read';
import { TextFonts } from '@scriptorium/pdf/text-fonts';
import { literal, type ObjectSink } from '@scriptorium/pdf/update';
import type { Appearance } from '../../sign-request.ts';
import { addImage } from './image.ts';
import { LINE_HEIGHT, layOut } from './layout.ts';

/** What is shown, and where; `image` is PNG or JPEG. */
export interface VisibleSignature extends Omit<Appearance, 'image'> {
  image?: Buffer;
}

const MARGIN = 2;
/** Points between an image and the text beside or below it. */
const GAP = 4;

interface Area {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Divides the area between image and text: side by side if it is wide, otherwise one above the other. */
function shareRoom(room: Area, hasImage: boolean, hasText: boolean): { image: Area; text: Area } {
  if (!hasImage || !hasText) return { image: room, text: room };
  if (room.width >= room.height * 1.5) {
    const width = (room.width - GAP) * 0.4;
    return {
      image: { ...room, width },
      text: { ...room, x: room.x + width + GAP, width: room.width - GAP - width },
    };
  }
  const height = (room.height - GAP) * 0.5;
  return { image: { ...room, y: room.y + height + GAP, height }, text: { ...room, height } };
}

/** Returns operators that draw the image centered and as large as its area allows. */
function drawImage(image: PlacedImage, area: Area): string {
  const scale = Math.min(area.width / image.width, area.height / image.height);
  const width = image.width * scale;
  const height = image.height * scale;
  const x = area.x + (area.width - width) / 2;
  const y = area.y + (area.height - height) / 2;
  return `q ${[width, 0, 0, height, x, y].map(literal.number).join(' ')} cm /Im1 Do Q\n`;
}

function drawText(text: string, fonts: TextFonts, area: Area): string {
  const { size, lines } = layOut(text, fonts, area.width, area.height);
  const step = size * LINE_HEIGHT;
  const top = area.y + (area.height + lines.length * step) / 2;
  const shown = lines.map((line) => `${fonts.show(line, size)} 0 ${literal.number(-step)} Td`);
  return `BT 0 g ${literal.number(area.x)} ${literal.number(top - size)} Td ${shown.join('\n')} ET\n`;
}

/** Returns the matrix that keeps the drawing upright on a rotated page. */
function matrixOf(rotation: Page['rotation'], width: number, height: number): string {
  const matrices: Record<Page['rotation'], readonly number[]> = {
    0: [1, 0, 0, 1, 0, 0],
    90: [0, 1, -1, 0, height, 0],
    180: [-1, 0, 0, -1, width, height],
    270: [0, -1, 1, 0, 0, width],
  };
  return literal.numbers(matrices[rotation]);
}

/** Adds the form XObject of a visible signature. The size is in points of the page as displayed. */
export async function addAppearance(
  sink: ObjectSink,
  { text, image }: Pick<VisibleSignature, 'text' | 'image'>,
  [width, height]: readonly [number, number],
  rotation: Page['rotation'],
): Promise<Ref> {
  const margin = Math.min(MARGIN, width / 10, height / 10);
  const room = { x: margin, y: margin, width: width - 2 * margin, height: height - 2 * margin };
  const areas = shareRoom(room, image !== undefined, Boolean(text));
  const fonts = new TextFonts();
  const placed = image ? await addImage(sink, image) : undefined;
  const content =
    (placed ? drawImage(placed, areas.image) : '') + (text ? drawText(text, fonts, areas.text) : '');
  const resources = `/Font<<${fonts.embed(sink)}>>${placed ? `/XObject<</Im1 ${placed.ref}>>` : ''}`;
  const keys =
    `/Type/XObject/Subtype/Form/BBox${literal.numbers([0, 0, width, height])}` +
    `/Matrix${matrixOf(rotation, width, height)}/Resources<<${resources}>>`;
  return sink.add(literal.stream(keys, Buffer.from(`q ${content}Q`, 'latin1')));
}
