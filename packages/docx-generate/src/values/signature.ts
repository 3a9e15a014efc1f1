import { loadedImage } from '@scriptorium/docx-template/fields';
import { signatureDrawing, signatureField } from '@scriptorium/docx-template/pictures';
import { z } from 'zod';
import { valueKind } from './value-kind.ts';

const { value, options } = signatureField;
const ISSUE = 'must be an object with a `value`';

/** `{"$signature": {value, options?}}`: `value` and `options` as those of a signature field. */
export const signatureKind = valueKind({
  key: '$signature',
  requested: z.strictObject({ value, options }, ISSUE),
  loaded: z.strictObject({ value: loadedImage, options }, ISSUE),
  image: 'value',
  render({ value, options }, { story, text }, { editor, resources }, path) {
    if (value === null) return { run: '' };
    const picture = resources.imageAt(value, `${path}.value`);
    if (picture === undefined) return undefined;
    const { draw } = signatureDrawing(picture, options, path);
    return { run: draw(text, { story, editor, description: undefined }) };
  },
});
