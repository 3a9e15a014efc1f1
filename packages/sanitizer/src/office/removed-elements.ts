import type { DropKind, Dropped, Inspector, Part } from '@scriptorium/ooxml/package';
import type { XmlVisitor } from '@scriptorium/ooxml/xml';

/** How the removal of an element is reported; without `what`, it is not. */
interface Removal {
  what?: DropKind;
  leavesGap?: boolean;
}

/** Removes the elements of these names with their content, wherever they are. */
export function removedElements(removals: Readonly<Record<string, Removal>>): Inspector {
  return { visit: (part, dropped) => visitRemovals(part, removals, dropped) };
}

function visitRemovals(
  part: Part,
  removals: Readonly<Record<string, Removal>>,
  dropped: Dropped[],
): XmlVisitor {
  const handlers = Object.entries(removals).map(([name, { what, leavesGap }]) => {
    const close = ({ start, end }: { start: number; end: number }) => {
      part.edits.push({ start, end, text: '' });
      if (what === undefined) return;
      dropped.push({
        what,
        part: part.name,
        detail: name,
        ...(leavesGap === undefined ? {} : { leavesGap }),
      });
    };
    return [name, { close }] as const;
  });
  return Object.fromEntries(handlers);
}

/** The children that the root element of a part may have, by the name of the root. */
export type Children = ReadonlyMap<string, ReadonlySet<string>>;

/** Removes the children of a part's root element that are not listed. Parts with other roots are not changed. */
export function allowedChildren(children: Children): Inspector {
  return { visit: (part) => visitChildren(part, children) };
}

function visitChildren(part: Part, children: Children): XmlVisitor {
  let allowed: ReadonlySet<string> | undefined;
  /** For each open element below the root, whether it is removed. */
  const open: boolean[] = [];
  return {
    '*': {
      open({ name, depth }) {
        if (depth === 0) allowed = children.get(name);
        open.push(depth === 1 && allowed !== undefined && !allowed.has(name));
      },
      close({ start, end }) {
        if (open.pop() === true) part.edits.push({ start, end, text: '' });
      },
    },
  };
}
