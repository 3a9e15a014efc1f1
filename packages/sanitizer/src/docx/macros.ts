import { DOCX_MAIN_TYPE, type Inspector, WORD_MAIN_TYPES } from '@scriptorium/ooxml/package';

/** Relationships to code, or to parts that bind code to keys, menus and events (MS-OFFMACRO2, MS-DOCX, MS-CUSTOMUI). */
const KINDS = new Set([
  'vbaProject',
  'vbaProjectSignature',
  'vbaProjectSignatureAgile',
  'vbaProjectSignatureV3',
  'wordVbaData',
  'keyMapCustomizations',
  'attachedToolbars',
  'extensibility',
  'userCustomization',
  'xlMacrosheet',
  'xlIntlMacrosheet',
]);

/** Removes macros, and turns macro-enabled documents and templates into plain documents. */
export function macros(): Inspector {
  return {
    keepsRelationship({ kind, target }, source, dropped) {
      if (!KINDS.has(kind)) return true;
      if (kind === 'vbaProject') dropped.push({ what: 'macro', part: source?.name ?? '', detail: target });
      return false;
    },
    keepsPart(part) {
      if (WORD_MAIN_TYPES.has(part.contentType)) part.contentType = DOCX_MAIN_TYPE;
      return true;
    },
  };
}
