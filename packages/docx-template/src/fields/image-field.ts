import { isOnItsSide } from '@scriptorium/images/orientation';
import type { Picture } from '@scriptorium/images/picture';
import { plainPicture } from '../drawing/plain-picture.ts';
import { proportionsOf, sizing } from '../drawing/size.ts';
import { roomAt } from '../template/container.ts';
import { replaceContent, targetOf } from './content.ts';
import { drawingContent, emptied, openControlsAround, openToDrawings } from './drawing-content.ts';
import { dimensions } from './field-options.ts';
import { fieldType } from './field-type.ts';
import { imageValue, loadedImage } from './image-value.ts';
import { fillFrame } from './picture-frame.ts';
import { unbind } from './unbind.ts';

/** Replaces the content of a control with an image. */
export const imageField = fieldType({
  type: 'image',
  title: 'Image',
  value: imageValue,
  loaded: loadedImage,
  options: { dimensions: dimensions.optional() },
  declaredAs: 'image',
  suits: ({ kind }) => kind === 'picture',
  async prepare(field, { editor, images, path }) {
    if (field.value === null) return emptied(editor);
    const picture = await images.read(field.value, `${path}.value`);
    const sizeIn = sizing(
      proportionsOf(picture.size),
      field.options.dimensions,
      `${path}.options.dimensions`,
    );
    // The frame of a sample does not turn its picture.
    const { dimensions: { width, height } = {} } = field.options;
    const isFramed = width === undefined && height === undefined && isUpright(picture);
    // A picture control must contain only a picture.
    const unsuited = isOnItsSide(picture.orientation) ? ['w:picture'] : [];
    return {
      fillControl(control) {
        const { story, alias } = control;
        if (isFramed && fillFrame(editor, control, picture)) {
          unbind(editor, control);
          return;
        }
        const size = sizeIn(roomAt(targetOf(control), story, editor.template));
        const drawing = plainPicture(picture, size, { story, editor, description: alias });
        openToDrawings(editor, control, unsuited);
        replaceContent(editor, control, drawingContent(drawing, story.dialect));
      },
      replacePlaceholder({ story, run }) {
        const size = sizeIn(roomAt(run, story, editor.template));
        const drawing = plainPicture(picture, size, { story, editor, description: undefined });
        openControlsAround(editor, story, run, unsuited);
        return { runs: story.dialect.element('r', {}, drawing) };
      },
    };
  },
});

function isUpright({ orientation: { degrees, isMirrored } }: Picture): boolean {
  return degrees === 0 && !isMirrored;
}
