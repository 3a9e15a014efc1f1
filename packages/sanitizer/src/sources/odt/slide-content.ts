import { BOUNDS, boundPassed } from '@scriptorium/ooxml/bounds';
import type { Edit, XmlVisitor } from '@scriptorium/ooxml/xml';
import { localName } from './names.ts';

/** Animations, sounds, notes and comments: nothing of them is on the page of a slide. */
const UNSEEN = new Set(['par', 'seq', 'animations', 'notes', 'annotation', 'transition-filter', 'audio']);

/** Counts slides and shapes of OpenDocument presentations, and removes what a page does not show. */
export class SlideContent {
  #slides = 0;
  #shapes = 0;
  comments = 0;

  /** A visitor that adds to `edits`. */
  visitor(part: string, edits: Edit[]): XmlVisitor {
    const removed: boolean[] = [];
    return {
      '*': {
        open: (tag) => {
          const name = localName(tag.name);
          if (name === 'annotation') this.comments++;
          if (name === 'page' && ++this.#slides > BOUNDS.slidesMax) throw boundPassed('slidesMax', part);
          if (tag.name.includes('drawing') && ++this.#shapes > BOUNDS.shapesMax)
            throw boundPassed('shapesMax', part);
          removed.push(UNSEEN.has(name));
        },
        close({ start, end }) {
          if (removed.pop() === true) edits.push({ start, end, text: '' });
        },
      },
    };
  }
}
