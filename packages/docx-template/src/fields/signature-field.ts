import { type FieldTag, FieldTagError, inPoints } from '@scriptorium/docx-normalize/field-tags';
import { isOnItsSide } from '@scriptorium/images/orientation';
import { ancestorsOf, attributeOf, descendantsOf, type XmlNode } from '@scriptorium/ooxml/xml';
import { z } from 'zod';
import { type Decoration, frameProportions } from '../drawing/frame.ts';
import type { FieldPicture } from '../drawing/image-cache.ts';
import type { DrawingPlace } from '../drawing/place.ts';
import { plainPicture } from '../drawing/plain-picture.ts';
import { framedSignature } from '../drawing/signature.ts';
import { signerPlace, signerRole } from '../drawing/signer-place.ts';
import { proportionsOf, sizing } from '../drawing/size.ts';
import type { PackageEditor } from '../package-editor.ts';
import { roomAt } from '../template/container.ts';
import type { Control } from '../template/controls.ts';
import type { Story } from '../template/story.ts';
import { xmlText } from '../xml-text.ts';
import { replaceContent, targetOf } from './content.ts';
import { drawingContent, emptied, openControlsAround, openToDrawings } from './drawing-content.ts';
import { color, dimensions } from './field-options.ts';
import { fieldType, type PreparedField } from './field-type.ts';
import { imageValue, loadedImage } from './image-value.ts';
import { invalidField } from './invalid.ts';

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
  field: signerRole
    .optional()
    .describe(
      'Instead of an image: the place of an empty signature field of this role. The conversion to PDF makes it, of the size in `dimensions` or of the picture in the control',
    ),
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
    if (field.options.field !== undefined) return placeField(field, field.options.field, editor, path);
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

const POINTS_PER_PIXEL = 0.75;
const EMU_PER_POINT = 12_700;

/** Puts the place of a field into controls and placeholders. Throws VALIDATION_ERROR for what only an image has. */
function placeField(
  { value, options: { dimensions: size = {}, ...drawn } }: { value: unknown; options: SignatureOptions },
  role: string,
  editor: PackageEditor,
  path: string,
): PreparedField {
  if (value !== null) throw invalidField(`${path}.value`, 'must be empty with `options.field`');
  const [other] = Object.keys(drawn).filter((name) => name !== 'field');
  if (other !== undefined) throw invalidField(`${path}.options.${other}`, 'is for an image, not for a field');
  const tagOf = (sample: Partial<Sides>): FieldTag => {
    const sides: Partial<Sides> = { ...sample };
    for (const side of ['width', 'height'] as const) {
      const pixels = size[side];
      if (pixels === undefined) continue;
      const points = sideInPoints(pixels * POINTS_PER_PIXEL);
      if (points === undefined)
        throw invalidField(`${path}.options.dimensions.${side}`, 'must be from 4pt to 2400pt for a field');
      sides[side] = points;
    }
    return { kind: 'sign', role, ...sides };
  };
  return {
    fillControl(control) {
      const { dialect } = control.story;
      const place = signerPlace(tagOf(sampleOf(control)), '', dialect);
      openToDrawings(editor, control, ['w:picture']);
      replaceContent(editor, control, {
        inline(isInRun) {
          if (isInRun)
            throw invalidField(`${path}.id`, 'is a control inside a run, which cannot hold a field');
          return place;
        },
        block: (paragraph) => paragraph(place),
      });
    },
    replacePlaceholder({ story, run, style }) {
      openControlsAround(editor, story, run, ['w:picture']);
      return { runs: signerPlace(tagOf({}), style, story.dialect) };
    },
  };
}

type Sides = Record<'width' | 'height', number>;

/** The size of the picture in a control, in points. */
function sampleOf({ content }: Control): Partial<Sides> {
  const extent = [...descendantsOf(content)].find(({ name }) => name === 'wp:extent');
  const [width, height] = ['cx', 'cy'].map((side) =>
    sideInPoints(Number(extent && attributeOf(extent, side)) / EMU_PER_POINT),
  );
  return width !== undefined && height !== undefined ? { width, height } : {};
}

/** Undefined for a side that no field can have. */
function sideInPoints(points: number): number | undefined {
  try {
    return Number.isFinite(points) ? inPoints(points, 'pt') : undefined;
  } catch (error) {
    if (error instanceof FieldTagError) return undefined;
    throw error;
  }
}

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
