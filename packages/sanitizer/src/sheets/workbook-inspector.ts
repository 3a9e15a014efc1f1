import { BOUNDS, boundPassed } from '@scriptorium/ooxml/bounds';
import { EXCEL_PACKAGE, type Inspector, type OoxmlPackage, type Part } from '@scriptorium/ooxml/package';
import type { XmlVisitor } from '@scriptorium/ooxml/xml';

const NAMESPACE = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const SHEET_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml';
const SHEET_RELATIONSHIP = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet';
const EMPTY_SHEET = `<worksheet xmlns="${NAMESPACE}"><sheetData/></worksheet>`;
/** Sheets that hold macros or dialogs. */
const RUNNING = new Set(['xlMacrosheet', 'xlIntlMacrosheet', 'dialogsheet']);
const [MAIN_TYPE = ''] = EXCEL_PACKAGE.mainTypes;

/**
 * Reads the names of the sheets into `sheets`, in lower case. Replaces macro and dialog sheets by empty ones, because
 * names and views count sheets, and turns templates and macro-enabled workbooks into plain ones.
 */
export function workbooks(sheets: Set<string>): Inspector {
  const running = new Set<string>();
  return {
    keepsRelationship({ kind, part, target }, source, dropped) {
      if (source !== undefined && running.has(source.key)) return false;
      if (!RUNNING.has(kind) || part === undefined) return true;
      running.add(part);
      dropped.push({ what: 'macro', part: source?.name ?? '', detail: target });
      return true;
    },
    keepsPart(part) {
      if (EXCEL_PACKAGE.mainTypes.has(part.contentType)) part.contentType = MAIN_TYPE;
      if (!running.has(part.key)) return true;
      part.bytes = Buffer.from(EMPTY_SHEET);
      part.contentType = SHEET_TYPE;
      delete part.entry;
      return true;
    },
    visit: (part) => visitSheets(part, sheets),
  };
}

/** Gives the relationships to replaced sheets the type of worksheets, after the package was opened. */
export function retypeSheets({ main: { relationships } }: OoxmlPackage): void {
  const running = relationships.list.filter(({ kind }) => RUNNING.has(kind));
  for (const relationship of running) {
    relationship.kind = 'worksheet';
    relationship.type = SHEET_RELATIONSHIP;
  }
  if (running.length > 0) delete relationships.entry;
}

/** The kinds of sheets that are replaced, so they must not be removed before. */
export const REPLACED_SHEETS: readonly string[] = [...RUNNING];

function visitSheets({ name: part }: Part, sheets: Set<string>): XmlVisitor {
  let count = 0;
  return {
    'x:sheet': {
      open(tag) {
        if (++count > BOUNDS.sheetsMax) throw boundPassed('sheetsMax', part);
        sheets.add((tag.attribute('name') ?? '').toLowerCase());
      },
    },
  };
}
