import type { Dropped, Inspector, Part } from '@scriptorium/ooxml/package';
import type { OpenTag, XmlVisitor } from '@scriptorium/ooxml/xml';

const LINKS = ['a:hlinkClick', 'a:hlinkHover', 'a:hlinkMouseOver'];
/** Jumps inside a presentation (ECMA-376-1 §21.1.2.3.5, MS-OE376 §2.1.1175). */
const JUMP =
  /^$|^ppaction:\/\/(?:noaction|hlinksldjump|hlinkshowjump\?jump=(?:first|last|next|previous)slide)$/i;

/** Elements of shapes that name a macro in an attribute. */
const SHAPES = ['xdr:sp', 'xdr:pic', 'xdr:cxnSp', 'xdr:graphicFrame', 'xdr:grpSp'];

/**
 * Removes what a click or a pointer runs: programs, macros, other files, sounds. Jumps to slides stay. Links to the web
 * are relationships, which other inspectors check.
 */
export function actions(): Inspector {
  return { visit: visitActions };
}

function visitActions(part: Part, dropped: Dropped[]): XmlVisitor {
  const removed: boolean[] = [];
  const link = {
    open(tag: OpenTag) {
      const action = (tag.attribute('action') ?? '').trim();
      const isRemoved = !JUMP.test(action);
      removed.push(isRemoved);
      if (!isRemoved) return;
      const what = /^ppaction:\/\/macro/i.test(action) ? 'macro' : 'unsafe link';
      dropped.push({ what, part: part.name, detail: action.slice(0, 200) });
    },
    close({ start, end }: { start: number; end: number }) {
      if (removed.pop() === true) part.edits.push({ start, end, text: '' });
    },
  };
  const shape = {
    open(tag: OpenTag) {
      for (const { name, value, start, end } of tag.attributes) {
        if (name !== 'macro' && name !== 'textlink') continue;
        part.edits.push({ start: tag.start + start, end: tag.start + end, text: '' });
        if (name === 'macro' && value !== '')
          dropped.push({ what: 'macro', part: part.name, detail: value.slice(0, 200) });
      }
    },
  };
  return {
    ...Object.fromEntries(LINKS.map((name) => [name, link])),
    ...Object.fromEntries(SHAPES.map((name) => [name, shape])),
  };
}
