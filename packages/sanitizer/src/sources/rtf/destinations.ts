import type { DropKind } from '@scriptorium/ooxml/package';

/**
 * Destinations that are removed with their content. Null if they show nothing, or are reported with the object that
 * they belong to.
 */
export const DROPPED_DESTINATIONS: ReadonlyMap<string, DropKind | null> = new Map([
  ['objdata', null],
  ['objclass', null],
  ['objname', null],
  ['objalias', null],
  ['objsect', null],
  ['objtopic', null],
  ['objitem', null],
  ['oleclsid', null],
  ['template', 'remote template'],
  ['datastore', null],
  ['themedata', null],
  ['colorschememapping', null],
  ['passwordhash', null],
  ['writereservhash', null],
  ['svb', null],
  ['htmltag', null],
  ['mhtmltag', null],
  ['hlinkbase', null],
  ['linkval', null],
  ['filetbl', 'external link'],
  ['file', 'external link'],
  ['nextfile', 'external link'],
  ['subdocument', 'external link'],
  ['mailmerge', 'data source'],
  ['fontemb', 'embedded font'],
  ['fontfile', 'embedded font'],
]);

/** Words that turn a group into an object. Without them its picture in `\result` stays. */
export const OBJECT_WORD = /^(?:obj|rslt|result$|linkself$)/;

/** Destinations inside a field's instruction other than its text. */
export const INSTRUCTION_PARTS = new Set([
  'field',
  'ffdata',
  'formfield',
  'datafield',
  'shppict',
  'pict',
  'shp',
]);

/** Shape properties (MS-ODRAW names) that name files, or contain a document in another format. */
export const DROPPED_SHAPE_PROPERTY =
  /^(?:pibName|pibPrintName|pibFlags|pibPrintFlags|\w*BlipName|\w*BlipFlags|metroBlob|gtextUNICODEFile|script\w*|wzScript\w*|wzFormulae)$/i;
