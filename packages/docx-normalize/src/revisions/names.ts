/** How tracked changes are resolved: all accepted, or all rejected. */
export type RevisionMode = 'final' | 'original';

/**
 * Elements that mark their content as changed. Inside properties, they mark the paragraph mark, row or control that has
 * the properties (ECMA-376-1 §17.13.5). The two in `w14` are changes from a merge ([MS-DOCX] §2.6.1).
 */
export const INSERTIONS = ['w:ins', 'w:moveTo', 'w14:conflictIns'] as const;
export const DELETIONS = ['w:del', 'w:moveFrom', 'w14:conflictDel'] as const;

/** Records of former properties. Each is the last child of the properties that replaced them. */
export const PROPERTY_CHANGES = [
  'w:rPrChange',
  'w:pPrChange',
  'w:sectPrChange',
  'w:tblPrChange',
  'w:tblPrExChange',
  'w:tblGridChange',
  'w:trPrChange',
  'w:tcPrChange',
] as const;

/** Empty elements around moved content. The content itself is marked run by run. */
export const MOVE_RANGES = [
  'w:moveFromRangeStart',
  'w:moveFromRangeEnd',
  'w:moveToRangeStart',
  'w:moveToRangeEnd',
] as const;

/** Ranges around the tags of content controls and custom XML. The content inside is marked separately. */
export const INSERTED_CONTROLS = [
  'w:customXmlInsRange',
  'w:customXmlMoveToRange',
  'w14:customXmlConflictInsRange',
] as const;
export const DELETED_CONTROLS = [
  'w:customXmlDelRange',
  'w:customXmlMoveFromRange',
  'w14:customXmlConflictDelRange',
] as const;

/** Ranges between two empty elements with the same id. Either both stay, or neither. */
export const ANCHORS = ['w:bookmark', 'w:commentRange', 'w:perm'] as const;

const MARKUP = new RegExp(
  `<(?:[^\\s<>/:]+:)?(?:${[
    'ins|del|delText|delInstrText|moveFrom|moveTo|conflictIns|conflictDel',
    'cellIns|cellDel|cellMerge|numberingChange|trackRevisions',
    '(?:rPr|pPr|sectPr|tblPr|tblPrEx|tblGrid|trPr|tcPr)Change',
    'move(?:From|To)Range(?:Start|End)|customXml(?:Conflict)?(?:Ins|Del|MoveFrom|MoveTo)Range(?:Start|End)',
  ].join('|')})[\\s/>]`,
);

/** Whether the XML of a part may contain a tracked change. A cheap check, so that other parts are skipped. */
export function mayHoldRevisions(xml: string): boolean {
  return MARKUP.test(xml);
}

/** Whether content marked with this element is removed in this mode. */
export function isGone(name: string, mode: RevisionMode): boolean {
  const gone: readonly string[] = mode === 'final' ? DELETIONS : INSERTIONS;
  return gone.includes(name);
}
