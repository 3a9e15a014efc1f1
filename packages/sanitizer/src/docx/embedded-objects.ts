import type { Dropped, Inspector, Part } from '@scriptorium/ooxml/package';
import type { XmlVisitor } from '@scriptorium/ooxml/xml';

const CONTROLS = new Set(['control', 'activeXControl', 'activeXControlBinary', 'ctrlProp']);

/** Elements that represent an object. Its picture is a separate element and stays. */
const OBJECT_ELEMENTS = ['o:OLEObject', 'w:objectEmbed', 'w:objectLink', 'w:control', 'w:movie'];

function visitObjects(part: Part): XmlVisitor {
  const remove = {
    close: ({ start, end }: { start: number; end: number }) => part.edits.push({ start, end, text: '' }),
  };
  return Object.fromEntries(OBJECT_ELEMENTS.map((name) => [name, remove]));
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
