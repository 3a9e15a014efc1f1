import { FIELD_KINDS, FieldTagError, inPoints } from '@scriptorium/docx-normalize/field-tags';
import { loadedImage } from '@scriptorium/docx-template/fields';
import {
  signatureDrawing,
  signatureField,
  signerPlace,
  signerRole,
} from '@scriptorium/docx-template/pictures';
import { z } from 'zod';
import { type Replacement, type ValueSpot, valueKind } from './value-kind.ts';

const { value } = signatureField;
/** A place has no value beside it. */
const options = signatureField.options.refine(({ field }) => field === undefined, {
  error: 'stands beside `value` here: `{"$signature": {"field": …}}`',
  path: ['field'],
});
const ISSUE = 'must be an object with a `value` or a `field`';
const SIZE = /^(\d{1,4}(?:\.\d{1,3})?)(mm|pt)$/;

const side = z.string().transform((text, context) => {
  const [, number, unit] = SIZE.exec(text) ?? [];
  const refuse = (message: string) => {
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  };
  if (number === undefined) return refuse('must be a size such as `60mm` or `40pt`');
  try {
    return inPoints(Number(number), unit === 'mm' ? 'mm' : 'pt');
  } catch (error) {
    if (error instanceof FieldTagError) return refuse('must be from 4pt to 2400pt');
    throw error;
  }
});

/** The place of an empty field, for a later signer. */
const place = z.strictObject({
  field: signerRole,
  kind: z.enum(FIELD_KINDS).default('sign'),
  width: side.optional(),
  height: side.optional(),
});
type Place = z.output<typeof place>;

/** A picture, or the place of a field. The issues are those of the one that is meant. */
const pictureOr = <Picture extends z.ZodType>(picture: Picture) =>
  z.unknown().transform((given, context): z.output<Picture> | Place => {
    const isPlace = typeof given === 'object' && given !== null && 'field' in given;
    const parsed = (isPlace ? place : picture).safeParse(given);
    if (parsed.success) return parsed.data as z.output<Picture> | Place;
    context.issues.push(...(parsed.error.issues as typeof context.issues));
    return z.NEVER;
  });

/**
 * `{"$signature": {value, options?}}`: `value` and `options` as those of a signature field.
 * `{"$signature": {field, kind?, width?, height?}}`: the place of an empty field.
 */
export const signatureKind = valueKind({
  key: '$signature',
  requested: pictureOr(z.strictObject({ value, options }, ISSUE)),
  loaded: pictureOr(z.strictObject({ value: loadedImage, options }, ISSUE)),
  image: 'value',
  render(given, spot, { editor, resources }, path) {
    if ('field' in given) return placeOf(given, spot);
    const { value, options } = given;
    if (value === null) return { run: '' };
    const picture = resources.imageAt(value, `${path}.value`);
    if (picture === undefined) return undefined;
    const { draw } = signatureDrawing(picture, options, path);
    return { run: draw(spot.text, { story: spot.story, editor, description: undefined }) };
  },
});

function placeOf({ field, kind, width, height }: Place, { story, style }: ValueSpot): Replacement {
  const tag = { kind, role: field, ...(width && { width }), ...(height && { height }) };
  return { runs: signerPlace(tag, style, story.dialect) };
}
