import type { Picture, PixelSize } from '@scriptorium/images/picture';
import { attributeOf, childOf, descendantsOf, type XmlNode } from '@scriptorium/ooxml/xml';
import { blip } from '../drawing/image.ts';
import type { PackageEditor } from '../package-editor.ts';
import type { Control } from '../template/controls.ts';
import type { Story } from '../template/story.ts';
import { endPrompt } from './content.ts';

/** Parts of a side in a crop (ECMA-376-1 §20.1.10.40). */
const WHOLE = 100_000;
/** A difference in ratio that is not visible. */
const RATIO_TOLERANCE = 0.005;

/** The frame of a sample picture: its size, position, crop and alternative text. */
interface PictureFrame {
  drawing: XmlNode;
  /** `pic:blipFill`, and the `a:blip` in it. */
  fill: XmlNode;
  blip: XmlNode;
  /** In EMU. */
  size: PixelSize;
}

/** The frame of the only picture in an element. Undefined if there is another drawing or text beside it. */
function frameIn(content: XmlNode): PictureFrame | undefined {
  const nodes = [content, ...descendantsOf(content)];
  const named = (name: string) => nodes.filter((node) => node.name === name);
  const [drawing, ...others] = named('w:drawing');
  const [fill, ...fills] = named('pic:blipFill');
  const image = fill && childOf(fill, 'a:blip');
  const isMixed = others.length + fills.length + named('w:t').length + named('w:pict').length > 0;
  const extent = named('wp:extent')[0];
  const [width, height] = ['cx', 'cy'].map((side) => Number(extent && attributeOf(extent, side)));
  if (drawing === undefined || fill === undefined || image === undefined || isMixed) return undefined;
  if (!width || !height || width < 0 || height < 0) return undefined;
  return { drawing, fill, blip: image, size: { width, height } };
}

/**
 * Puts a picture into the frame of the sample picture of a control. The picture is not distorted: without a crop in the
 * template, it is fitted into the frame, as Word does (“Fit” in its crop tools). False if the control has no such frame.
 */
export function fillFrame(editor: PackageEditor, control: Control, picture: Picture): boolean {
  const { story, kind, content, node } = control;
  const replaced = kind === 'picture' ? replacePicture(editor, story, content, picture) : undefined;
  if (replaced === undefined) return false;
  editor.replaced.add([replaced], node);
  endPrompt(editor, control);
  return true;
}

/**
 * Replaces the only picture in an element, and returns the element that showed it. Undefined if there is another drawing
 * or text beside it.
 */
export function replacePicture(
  editor: PackageEditor,
  story: Story,
  content: XmlNode,
  picture: Picture,
): XmlNode | undefined {
  const frame = frameIn(content);
  if (frame === undefined) return undefined;
  const crop = childOf(frame.fill, 'a:srcRect');
  const { a, r } = story.dialect.namespaces;
  // The sample may use other prefixes.
  const image = blip(picture, story, editor).replace('<a:blip', `<a:blip xmlns:a="${a}" xmlns:r="${r}"`);
  const isCropped = crop !== undefined && crop.attributes.length > 0;
  const fitted = isCropped ? '' : fittedCrop(picture.size, frame.size, a);
  editor.edit(story, { start: frame.blip.start, end: frame.blip.end, text: image + fitted });
  if (fitted !== '' && crop !== undefined) editor.edit(story, { start: crop.start, end: crop.end, text: '' });
  return frame.blip;
}

/** A negative crop, which leaves room beside the picture. Empty if the ratios are equal. */
function fittedCrop(natural: PixelSize, frame: PixelSize, namespace: string): string {
  const ratio = natural.width / natural.height / (frame.width / frame.height);
  if (Math.abs(ratio - 1) < RATIO_TOLERANCE) return '';
  const [scale, sides] = ratio < 1 ? [1 / ratio, ['l', 'r']] : [ratio, ['t', 'b']];
  const room = -Math.round(((scale - 1) / 2) * WHOLE);
  return `<a:srcRect xmlns:a="${namespace}" ${sides.map((side) => `${side}="${room}"`).join(' ')}/>`;
}
