import { isOnItsSide } from '@scriptorium/images/picture';
import { pictureOf } from '../drawing/picture-of.ts';
import { plainPicture } from '../drawing/plain-picture.ts';
import { proportionsOf, sizing } from '../drawing/size.ts';
import { roomAt } from '../template/container.ts';
import { replaceContent, targetOf } from './content.ts';
import { drawingContent, openControlsAround, openToDrawings } from './drawing-content.ts';
import type { FieldType } from './field-type.ts';
import type { FillingOf } from './filling.ts';

/** An image in place of what a control shows. */
export const imageField: FieldType<FillingOf<'image'>> = {
  async prepare(field, context) {
    const { draft, path } = context;
    const picture = await pictureOf(field, context);
    const sizeIn = sizing(proportionsOf(picture.size), field.options.dimensions, path);
    // A picture control holds a picture and nothing around it.
    const unsuited = isOnItsSide(picture.orientation) ? ['w:picture'] : [];
    return {
      fillControl(control) {
        const { story, alias } = control;
        const size = sizeIn(roomAt(targetOf(control), story, draft.template));
        const drawing = plainPicture(picture, size, { story, draft, description: alias });
        openToDrawings(draft, control, unsuited);
        replaceContent(draft, control, drawingContent(drawing, story.dialect));
      },
      replacePlaceholder({ story, run }) {
        const size = sizeIn(roomAt(run, story, draft.template));
        const drawing = plainPicture(picture, size, { story, draft, description: undefined });
        openControlsAround(draft, story, run, unsuited);
        return { runs: story.dialect.element('r', {}, drawing) };
      },
    };
  },
};
