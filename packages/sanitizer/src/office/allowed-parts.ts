import type { DropKind, Dropped, Inspector } from '@scriptorium/ooxml/package';

/** Relationships that workbooks and presentations share, by kind (ECMA-376-1 §15, MS-ODRAWXML). */
const SHARED_KINDS = [
  ...[
    'officeDocument',
    'core-properties',
    'extended-properties',
    'theme',
    'themeOverride',
    'image',
    'hyperlink',
  ],
  ...['chart', 'chartUserShapes', 'hdphoto'],
  ...['diagramData', 'diagramLayout', 'diagramQuickStyle', 'diagramColors', 'diagramDrawing'],
];

/** How a removed kind is reported. Kinds with `isShown` leave a gap on a page. */
const REPORTED: Readonly<Record<string, { what: DropKind; isShown?: boolean }>> = {
  vbaProject: { what: 'macro' },
  xlMacrosheet: { what: 'macro' },
  xlIntlMacrosheet: { what: 'macro' },
  dialogsheet: { what: 'macro' },
  externalLink: { what: 'external link', isShown: false },
  connections: { what: 'data source', isShown: false },
  queryTable: { what: 'data source', isShown: false },
  volatileDependencies: { what: 'data source', isShown: false },
  oleObject: { what: 'OLE object' },
  package: { what: 'OLE object' },
  control: { what: 'ActiveX control', isShown: true },
  activeXControl: { what: 'ActiveX control', isShown: true },
  activeXControlBinary: { what: 'ActiveX control' },
  ctrlProp: { what: 'form control', isShown: true },
  legacyDiagramText: { what: 'OLE object' },
  audio: { what: 'active content', isShown: false },
  video: { what: 'active content', isShown: false },
  media: { what: 'active content', isShown: false },
  font: { what: 'embedded font' },
};

/**
 * Kinds without an effect on a page: caches, settings of the author's program and printer, comments and notes. Also
 * data with a copy in the sheet, such as that of a pivot table.
 */
const UNSEEN = new Set([
  ...['calcChain', 'printerSettings', 'metadata', 'sheetMetadata', 'thumbnail', 'custom-properties'],
  ...['comments', 'threadedComment', 'person', 'commentAuthors', 'authors', 'vmlDrawing', 'tags'],
  ...['customXml', 'customXmlProps', 'customProperty', 'customData', 'customDataProps', 'xmlMaps'],
  ...['pivotCacheDefinition', 'pivotCacheRecords', 'slicerCache', 'timelineCache'],
  ...['revisionHeaders', 'revisionLog', 'usernames', 'changesInfo', 'revisionInfo', 'slideUpdateInfo'],
  ...['notesSlide', 'notesMaster', 'handoutMaster', 'presProps', 'viewProps', 'wsSortMap'],
  ...[
    'chartStyle',
    'chartColorStyle',
    'vbaProjectSignature',
    'vbaProjectSignatureAgile',
    'vbaProjectSignatureV3',
  ],
  ...['attachedToolbars', 'extensibility', 'userCustomization', 'classificationlabels', 'origin'],
  ...[
    'rdRichValue',
    'rdRichValueStructure',
    'rdRichValueTypes',
    'rdRichValueWebImage',
    'rdArray',
    'richStyles',
  ],
]);

/** Relationships whose part is only data of a chart, which the chart repeats. */
const CHART_DATA = new Set(['package', 'oleObject']);

/**
 * Keeps the relationships of these kinds, and those that all packages share, if they lead to a part or are links.
 * Everything else is removed, and reported unless it is known to have no effect on a page.
 */
export function allowedParts(kinds: readonly string[]): Inspector {
  const allowed = new Set([...SHARED_KINDS, ...kinds]);
  return {
    keepsRelationship({ kind, target, isExternal, part }, source, dropped) {
      if (isExternal || (kind === 'hyperlink' && part === undefined)) return true;
      if (allowed.has(kind) && kind !== 'hyperlink') return part !== undefined;
      const isChart = source?.contentType.includes('chart') === true;
      if (!(isChart && CHART_DATA.has(kind))) report(kind, source?.name ?? '', target, dropped);
      return false;
    },
  };
}

function report(kind: string, part: string, detail: string, dropped: Dropped[]): void {
  if (UNSEEN.has(kind)) return;
  const { what, isShown } = (Object.hasOwn(REPORTED, kind) ? REPORTED[kind] : undefined) ?? {
    what: 'unknown part',
  };
  dropped.push({ what, part, detail, ...(isShown === undefined ? {} : { leavesGap: isShown }) });
}
