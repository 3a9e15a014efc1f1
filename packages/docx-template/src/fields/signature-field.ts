import { isOnItsSide } from '@scriptorium/images/orientation';
import { ancestorsOf, type XmlNode } from '@scriptorium/ooxml/xml';
import { z } from 'zod';
import { type Decoration, frameProportions } from '../drawing/frame.ts';
import type { FieldPicture } from '../drawing/image-cache.ts';
import type { DrawingPlace } from '../drawing/place.ts';
import { plainPicture } from '../drawing/plain-picture.ts';
import { framedSignature } from '../drawing/signature.ts';
import { proportionsOf, sizing } from '../drawing/size.ts';
import { roomAt } from '../template/container.ts';
import type { Story } from '../template/story.ts';
import { xmlText } from '../xml-text.ts';
import { replaceContent, targetOf } from './content.ts';
import { drawingContent, emptied, openControlsAround, openToDrawings } from './drawing-content.ts';
import { color, dimensions } from './field-options.ts';
import { fieldType } from './field-type.ts';
import { imageValue, loadedImage } from './image-value.ts';

const BLACK = '#000000';
const TOP_TEXT = 'Signed by:';
const SHORT_ID_LETTERS = 8;
const LABEL_CHARS_MAX = 1_000;

const part = { color: color.optional() };
const label = xmlText
  .refine((text) => text.length <= LABEL_CHARS_MAX, {
    error: `may have at most ${LABEL_CHARS_MAX} characters`,
  })
  .meta({ maxLength: LABEL_CHARS_MAX });
const options = {
  dimensions: dimensions.optional(),
  arcElement: z
    .strictObject(part)
    .optional()
    .describe('Draws an arc next to the signature; black by default'),
  topLabel: z.strictObject(part).optional().describe('Draws “Signed by:” above it'),
  bottomLabel: z
    .strictObject({ ...part, text: label.optional() })
    .optional()
    .describe('Draws a label below it; without `text`, a short id of the image'),
};

type SignatureOptions = z.output<z.ZodObject<typeof options>>;

/**
 * Replaces the content of a control with a signature: an image, with an arc and labels as requested in the options.
 * `dimensions` is the total size. The same image has the same short id.
 */
export const signatureField = fieldType({
  type: 'signature',
  title: 'Signature',
  value: imageValue,
  loaded: loadedImage,
  options,
  declaredAs: 'signature',
  async prepare(field, { editor, images, path }) {
    if (field.value === null) return emptied(editor);
    const picture = await images.read(field.value, `${path}.value`);
    const { draw, unsuited } = signatureDrawing(picture, field.options, path);
    return {
      fillControl(control) {
        const { story, alias } = control;
        const drawing = draw(targetOf(control), { story, editor, description: alias });
        openToDrawings(editor, control, unsuited);
        replaceContent(editor, control, drawingContent(drawing, story.dialect));
      },
      replacePlaceholder({ story, run }) {
        const drawing = draw(run, { story, editor, description: undefined });
        openControlsAround(editor, story, run, unsuited);
        return { runs: story.dialect.element('r', {}, drawing) };
      },
    };
  },
});

interface SignatureDrawing {
  /** The signature as run content, for the room around an element. */
  draw(node: XmlNode, place: DrawingPlace): string;
  /** Kinds of controls that cannot contain it. */
  unsuited: string[];
}

/** Prepares a signature with these options. Throws VALIDATION_ERROR. `path` is that of the field. */
export function signatureDrawing(
  picture: FieldPicture,
  options: SignatureOptions,
  path: string,
): SignatureDrawing {
  const decoration = decorationOf(options, picture.digest);
  const isPlain = Object.keys(decoration).length === 0;
  const proportions = isPlain ? proportionsOf(picture.size) : frameProportions(picture.size, decoration);
  const sizeIn = sizing(proportions, options.dimensions, `${path}.options.dimensions`);
  return {
    // A picture control must contain only a picture.
    unsuited: isPlain && !isOnItsSide(picture.orientation) ? [] : ['w:picture'],
    draw(node, place) {
      const { story, editor } = place;
      const size = sizeIn(roomAt(node, story, editor.template));
      if (isPlain) return plainPicture(picture, size, place);
      const isWithoutTextBoxes = isNote(story) || isInTextBox(node);
      return framedSignature(picture, size, decoration, { ...place, isWithoutTextBoxes });
    },
  };
}

function decorationOf({ arcElement, topLabel, bottomLabel }: SignatureOptions, digest: string): Decoration {
  const id = digest.slice(0, SHORT_ID_LETTERS).toUpperCase();
  return {
    ...(arcElement && { arc: { color: arcElement.color ?? BLACK } }),
    ...(topLabel && { top: { text: TOP_TEXT, color: topLabel.color ?? BLACK } }),
    ...(bottomLabel && {
      bottom: { text: oneLine(bottomLabel.text) ?? id, color: bottomLabel.color ?? BLACK },
    }),
  };
}

function oneLine(text: string | undefined): string | undefined {
  const line = text?.replace(/\s+/g, ' ').trim();
  return line === '' ? undefined : line;
}

function isNote({ place }: Story): boolean {
  return place === 'footnote' || place === 'endnote';
}

function isInTextBox(node: XmlNode): boolean {
  for (const { name } of ancestorsOf(node)) if (name === 'w:txbxContent') return true;
  return false;
}
