import type { Dropped, Inspector, Part } from '@scriptorium/ooxml/package';
import type { XmlVisitor } from '@scriptorium/ooxml/xml';
import { escapeXml } from '@scriptorium/ooxml/xml';

const HEADERS = ['odd', 'even', 'first'].flatMap((page) => [`x:${page}Header`, `x:${page}Footer`]);
/** An escaped `&`, the name and the folder of the file, and the picture, whose drawing is not kept. */
const CODES = /&(?:&|[FfZzGg])/g;

/**
 * Removes the codes of page headers for the name and the folder of the file (ECMA-376-1 §18.3.1.46). They would print
 * those of the converter.
 */
export function headers(): Inspector {
  return { visit: visitHeaders };
}

function visitHeaders(part: Part, dropped: Dropped[]): XmlVisitor {
  const handler = {
    text(text: string, start: number, end: number) {
      const changed = text.replace(CODES, (code) => (code === '&&' ? code : ''));
      if (changed === text) return;
      part.edits.push({ start, end, text: escapeXml(changed) });
      const codes = text.match(CODES) ?? [];
      for (const code of codes) {
        if (code === '&&') continue;
        const isPicture = /g/i.test(code);
        dropped.push({
          what: isPicture ? 'image' : 'field',
          part: part.name,
          detail: isPicture ? 'picture of a page header' : 'name of the file',
        });
      }
    },
  };
  return Object.fromEntries(HEADERS.map((name) => [name, handler]));
}
