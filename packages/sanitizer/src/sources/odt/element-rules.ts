import type { DropKind } from '@scriptorium/ooxml/package';

/**
 * The treatment of an element. `remove` removes it with its content, `unwrap` removes its tags and keeps its text.
 * Without `what`, the removal is not reported.
 */
export interface ElementRule {
  action: 'remove' | 'unwrap';
  what?: DropKind;
}

const remove = (what?: DropKind): ElementRule => ({ action: 'remove', ...(what && { what }) });
const unwrap = (what?: DropKind): ElementRule => ({ action: 'unwrap', ...(what && { what }) });

/** By local name: scripts, objects of other programs, and external content (ODF 1.3 part 3). */
export const ELEMENT_RULES: ReadonlyMap<string, ElementRule> = new Map([
  ['scripts', remove('macro')],
  ['event-listeners', remove()],
  ['events', remove('macro')],
  ['script', remove('macro')],
  ['execute-macro', unwrap('macro')],
  ['object-ole', remove('OLE object')],
  ['plugin', remove('active content')],
  ['applet', remove('active content')],
  ['floating-frame', remove('active content')],
  ['sound', remove('external link')],
  ['dde-connection-decls', remove('external link')],
  ['dde-source', remove('external link')],
  ['dde-links', remove('external link')],
  ['dde-link', remove('external link')],
  ['dde-connection', unwrap()],
  ['table-source', remove('external link')],
  ['cell-range-source', remove('external link')],
  ['alphabetical-index-auto-mark-file', remove('external link')],
  ['database-display', unwrap('data source')],
  ['database-name', unwrap('data source')],
  ['database-next', unwrap('data source')],
  ['database-row-select', unwrap('data source')],
  ['database-row-number', unwrap('data source')],
  ['database-source-sql', remove('data source')],
  ['database-source-table', remove('data source')],
  ['database-source-query', remove('data source')],
  ['connection-resource', remove('data source')],
  ['model', remove('data source')],
  ['template', remove('remote template')],
  ['auto-reload', remove('external link')],
  ['hyperlink-behaviour', remove()],
]);

/** Elements whose address is only followed when a reader clicks it. */
export const LINKS = new Set(['a', 'area-rectangle', 'area-circle', 'area-polygon']);

/** Elements that show a picture of the package. */
export const PICTURES = new Set(['image', 'fill-image', 'background-image', 'list-level-style-image']);

/** Attributes of any element that name a file, a database or a script. `href` has separate rules. */
export const ADDRESS_ATTRIBUTES: ReadonlyMap<string, DropKind> = new Map([
  ['base', 'external link'],
  ['src', 'external link'],
  ['image-data', 'external link'],
  ['action', 'form action'],
  ['datasource', 'data source'],
  ['command', 'data source'],
]);

/** Properties of form controls, and settings, that name a file, a database or a script, by the end of their names. */
export const ADDRESS_PROPERTY = /(?:url|source|sourcename|command|database|databasename|script|filter)$/i;
/** Settings of the author's printer, which have no visible effect. */
export const PRINTER_SETTINGS = /^Printer(?:Setup|Name)$/;
