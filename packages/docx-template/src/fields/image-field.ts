import { isOnItsSide } from '@scriptorium/images/orientation';
import { plainPicture } from '../drawing/plain-picture.ts';
import { proportionsOf, sizing } from '../drawing/size.ts';
import { roomAt } from '../template/container.ts';
import { replaceContent, targetOf } from './content.ts';
import { drawingContent, openControlsAround, openToDrawings } from './drawing-content.ts';
import { dimensions } from './field-options.ts';
import { fieldType } from './field-type.ts';
import { imagePlace, imageValue } from './image-value.ts';

/** Replaces the content of a control with an image. */
export const imageField = fieldType({
  type: 'image',
  title: 'Image',
  value: imageValue,
  loaded: imagePlace,
  options: { dimensions: dimensions.optional() },
  declaredAs: 'image',
  suits: ({ kind }) => kind === 'picture',
  async prepare(field, { editor, images, path }) {
    const picture = await images.read(field.value, `${path}.value`);
    const sizeIn = sizing(proportionsOf(picture.size), field.options.dimensions, path);
    // A picture control must contain only a picture.
    const unsuited = isOnItsSide(picture.orientation) ? ['w:picture'] : [];
    return {
      fillControl(control) {
        const { story, alias } = control;
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
