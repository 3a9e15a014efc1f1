import type { Dropped, Inspector, Part } from '@scriptorium/ooxml/package';
import type { OpenTag, XmlVisitor } from '@scriptorium/ooxml/xml';

const CONTROLS = new Set(['control', 'activeXControl', 'activeXControlBinary', 'ctrlProp']);

/** Elements that represent an object. Its picture is a separate element and stays. */
const OBJECT_ELEMENTS = ['o:OLEObject', 'w:objectEmbed', 'w:objectLink', 'w:control', 'w:movie'];
/** Elements around an object and its picture. */
const HOLDERS = ['w:object', 'w:pict'];

/** An open holder. */
interface Holder {
  /** The name of the object in it. */
  object: string | undefined;
  hasPicture: boolean;
  /** The open shape, unless it says whether it has a line. */
  shape: OpenTag | undefined;
}

function visitObjects(part: Part, dropped: Dropped[]): XmlVisitor {
  const holders: Holder[] = [];
  const types = new Set<string>();
  const remove = (name: string) => ({
    open() {
      const holder = holders.at(-1);
      if (holder !== undefined) holder.object = name;
    },
    close: ({ start, end }: { start: number; end: number }) => part.edits.push({ start, end, text: '' }),
  });
  const holder = {
    open: () => void holders.push({ object: undefined, hasPicture: false, shape: undefined }),
    close() {
      const closed = holders.pop();
      if (closed?.object === undefined || closed.hasPicture) return;
      const what = closed.object === 'w:control' ? 'form control' : 'OLE object';
      dropped.push({ what, part: part.name, detail: 'it has no picture', leavesGap: true });
    },
  };
  return {
    ...Object.fromEntries(OBJECT_ELEMENTS.map((name) => [name, remove(name)])),
    ...Object.fromEntries(HOLDERS.map((name) => [name, holder])),
    'v:shapetype': { open: (tag) => void types.add(`#${tag.attribute('id')}`) },
    'v:shape': {
      open(tag) {
        const isKnown = types.has(tag.attribute('type') ?? '') || tag.attribute('stroked') !== undefined;
        const open = holders.at(-1);
        if (open !== undefined) open.shape = isKnown ? undefined : tag;
      },
    },
    'v:imagedata': {
      open() {
        const open = holders.at(-1);
        if (open === undefined) return;
        open.hasPicture = true;
        if (open.shape !== undefined) removeLine(part, open.shape);
        open.shape = undefined;
      },
    },
  };
}

/**
 * A shape has a line by default. The type of a picture has none, and Word knows that type even if the document does not
 * define it (ECMA-376-4 §19.1.2.20).
 */
function removeLine(part: Part, { end, isEmpty }: OpenTag): void {
  const at = end - (isEmpty ? 2 : 1);
  part.edits.push({ start: at, end: at, text: ' stroked="f"' });
}

/**
 * Removes embedded and linked objects: OLE, ActiveX and packages of other programs. The picture that Word keeps of each
 * stays and is displayed. A chart's workbook is removed without a report, because the chart contains its values.
 */
export function embeddedObjects(): Inspector {
  return {
    keepsRelationship({ kind, target, isExternal }, source, dropped) {
      if (isExternal) return true;
      if (CONTROLS.has(kind)) return drop('ActiveX control', source, target, dropped);
      if (kind === 'oleObject') return drop('OLE object', source, target, dropped);
      if (kind !== 'package') return true;
      const isChart = source?.contentType.includes('chart') === true;
      return isChart ? false : drop('OLE object', source, target, dropped);
    },
    visit: visitObjects,
  };
}

function drop(what: Dropped['what'], source: Part | undefined, detail: string, dropped: Dropped[]): false {
  dropped.push({ what, part: source?.name ?? '', detail });
  return false;
}
