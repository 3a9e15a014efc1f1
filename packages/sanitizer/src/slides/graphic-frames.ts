import type { Dropped, Inspector, Part } from '@scriptorium/ooxml/package';
import type { ElementSpan, XmlVisitor } from '@scriptorium/ooxml/xml';

/** An open graphic frame. */
interface Frame {
  hasObject: boolean;
  picture: ElementSpan | undefined;
}

/**
 * Replaces each embedded or linked object by the picture that the presentation has of it (ECMA-376-1 §19.3.2.4), and
 * removes objects without one.
 */
export function graphicFrames(): Inspector {
  return { visit: visitFrames };
}

function visitFrames(part: Part, dropped: Dropped[]): XmlVisitor {
  const frames: Frame[] = [];
  return {
    'p:graphicFrame': {
      open: () => void frames.push({ hasObject: false, picture: undefined }),
      close({ start, end }) {
        const { hasObject, picture } = frames.pop() ?? { hasObject: false, picture: undefined };
        if (!hasObject) return;
        if (picture === undefined) {
          part.edits.push({ start, end, text: '' });
          dropped.push({ what: 'OLE object', part: part.name, detail: 'it has no picture', leavesGap: true });
          return;
        }
        part.edits.push({ start, end: picture.start, text: '' });
        part.edits.push({ start: picture.end, end, text: '' });
      },
    },
    'p:oleObj': {
      open() {
        const frame = frames.at(-1);
        if (frame !== undefined) frame.hasObject = true;
      },
    },
    'p:pic': {
      close(span) {
        const frame = frames.at(-1);
        if (frame?.hasObject === true) frame.picture = span;
      },
    },
  };
}
