import { addUsualImage } from '../images/add-image.ts';
import type { PdfDocument } from '../read/document.ts';
import { type Dict, isName } from '../read/values.ts';
import { literal } from '../write/literal.ts';
import { editDict } from '../write/update.ts';
import type { Filling, FormPicture, Icon, Issue } from './filling.ts';
import type { FormField, Widget } from './form-fields.ts';
import { frameOf } from './frame.ts';

const PIXELS_MAX = 16_000_000;
/** Turn the unit square around its middle. */
const TURNS: Readonly<Record<FormPicture['degrees'], string>> = {
  0: '',
  90: '0 -1 1 0 0 1 cm ',
  180: '-1 0 0 -1 1 1 cm ',
  270: '0 1 -1 0 1 0 cm ',
};
const PADDING_MIN = 1;

/** Shows an image as the icon of a button (ISO 32000-2, 12.7.5.2.2); undefined removes the icon. */
export function fillImage(filling: Filling, field: FormField, picture: FormPicture | undefined): Issue {
  const { icons } = filling;
  const icon = picture && (icons.get(picture) ?? iconOf(filling, picture));
  if (picture) icons.set(picture, icon);
  if (picture && !icon) return 'must be a PNG or JPEG of a common kind for a PDF form';
  for (const widget of field.widgets) showIcon(filling, widget, icon);
  return undefined;
}

function iconOf(filling: Filling, { bytes, isMirrored, degrees }: FormPicture): Icon | undefined {
  const image = imageOf(filling, bytes);
  if (!image) return undefined;
  const isTurned = degrees % 180 !== 0;
  const [width, height] = isTurned ? [image.height, image.width] : [image.width, image.height];
  const content = `q ${width} 0 0 ${height} 0 0 cm ${TURNS[degrees]}${isMirrored ? '-1 0 0 1 1 0 cm ' : ''}/Image Do Q`;
  const box = `[0 0 ${width} ${height}]`;
  const keys = `/Type/XObject/Subtype/Form/BBox${box}/Resources<</XObject<</Image ${image.ref}>>>>`;
  return { ref: String(filling.add(literal.stream(keys, Buffer.from(content)))), width, height };
}

function imageOf(filling: Filling, bytes: Buffer) {
  try {
    return addUsualImage(filling, bytes, PIXELS_MAX);
  } catch {
    return undefined;
  }
}

function showIcon(filling: Filling, { ref, dict }: Widget, icon: Icon | undefined): void {
  const { document } = filling;
  const frame = frameOf(document, dict);
  if (!frame) return;
  const facts = document.dict(dict, 'MK');
  const padding = Math.max(PADDING_MIN, frame.border);
  const room = { width: frame.width - 2 * padding, height: frame.height - 2 * padding };
  const drawn =
    icon && room.width > 0 && room.height > 0 ? drawnIn(document, facts, icon, { ...room, padding }) : '';
  const resources = icon ? `<</XObject<</Icon ${icon.ref}>>>>` : '<<>>';
  const look = filling.look(frame.drawn + drawn, frame, resources);
  // A position of 1 shows the icon without the caption.
  const own = { I: icon?.ref, TP: icon && '1', RI: undefined, IX: undefined };
  const edited = facts ? editDict(facts, own) : icon && `<</I ${icon.ref}/TP 1>>`;
  // Many widgets may share its facts, and each gets a copy.
  filling.count(edited ?? '');
  filling.set(ref, dict, { AP: `<</N ${look}>>`, MK: edited });
}

/** Places an icon as the form says (ISO 32000-2, table 250): in proportion and in the middle by default. */
function drawnIn(
  document: PdfDocument,
  facts: Dict | undefined,
  icon: Icon,
  { width, height, padding }: { width: number; height: number; padding: number },
): string {
  const fit = facts && document.dict(facts, 'IF');
  const [across, up] = [width / icon.width, height / icon.height];
  const isStretched = fit !== undefined && isName(document.get(fit, 'S'), 'A');
  const both = Math.min(across, up);
  const [sx, sy] = isStretched ? [across, up] : [both, both];
  const left = fit ? document.get(fit, 'A') : null;
  const [x = 0.5, y = 0.5] = (Array.isArray(left) ? left : []).map((item) =>
    typeof item === 'number' && item >= 0 && item <= 1 ? item : 0.5,
  );
  const place = [
    sx,
    0,
    0,
    sy,
    padding + x * (width - icon.width * sx),
    padding + y * (height - icon.height * sy),
  ];
  return `q ${place.map(literal.number).join(' ')} cm /Icon Do Q`;
}
