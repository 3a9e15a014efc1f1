import type { Inspector } from '@scriptorium/ooxml/package';
import { externalRelationships } from '../docx/external-relationships.ts';
import { images } from '../docx/images.ts';
import { references } from '../docx/references.ts';
import { actions } from '../office/actions.ts';
import { allowedParts } from '../office/allowed-parts.ts';
import { allowedChildren, type Children, removedElements } from '../office/removed-elements.ts';
import { countedElements, shapeBounds } from '../office/shape-bounds.ts';
import type { Metafiles } from '../sources/source.ts';
import { cells } from './cells.ts';
import { FormulaJudge } from './formula.ts';
import { formulaPlaces } from './formula-places.ts';
import { headers } from './headers.ts';
import { normalStyle } from './normal-style.ts';
import { pivotTables } from './pivot-tables.ts';
import { REPLACED_SHEETS, workbooks } from './workbook-inspector.ts';

const KINDS = [
  'worksheet',
  'chartsheet',
  'styles',
  'sharedStrings',
  'drawing',
  'table',
  'pivotTable',
  ...REPLACED_SHEETS,
];

/** What a workbook, a sheet and a table may hold (ECMA-376-1 §18.2.27, §18.3.1.99, §18.3.1.12, §18.5.1.2). */
const CHILDREN: Children = new Map([
  ['x:workbook', new Set(['x:fileVersion', 'x:workbookPr', 'x:bookViews', 'x:sheets', 'x:definedNames'])],
  [
    'x:worksheet',
    new Set([
      ...['x:sheetPr', 'x:dimension', 'x:sheetViews', 'x:sheetFormatPr', 'x:cols', 'x:sheetData'],
      ...['x:autoFilter', 'x:mergeCells', 'x:phoneticPr', 'x:conditionalFormatting', 'x:hyperlinks'],
      ...['x:printOptions', 'x:pageMargins', 'x:pageSetup', 'x:headerFooter', 'x:rowBreaks', 'x:colBreaks'],
      ...['x:drawing', 'x:tableParts', 'x:extLst'],
    ]),
  ],
  [
    'x:chartsheet',
    new Set([
      ...['x:sheetPr', 'x:sheetViews', 'x:pageMargins', 'x:pageSetup', 'x:headerFooter', 'x:drawing'],
    ]),
  ],
  ['x:table', new Set(['x:autoFilter', 'x:tableColumns', 'x:tableStyleInfo'])],
]);

const REMOVED = {
  'x:oleObject': { what: 'OLE object', leavesGap: true },
  'x:calculatedColumnFormula': {},
  'x:totalsRowFormula': {},
  'x:xmlColumnPr': {},
  'x14:dataValidations': {},
  'x14:slicerList': { what: 'unknown part', leavesGap: true },
  'x14:ignoredErrors': {},
  'c:externalData': {},
} as const;

const COUNTED = {
  'x:mergeCell': 'mergedCellsMax',
  'x:xf': 'cellStylesMax',
  'x:definedName': 'definedNamesMax',
  'x:brk': 'pageBreaksMax',
} as const;

/** Creates the inspectors that sanitize one workbook. `further` ones see it, too. */
export function sheetSanitizers(further: readonly Inspector[], metafiles?: Metafiles): Inspector[] {
  const sheets = new Set<string>();
  const judge = new FormulaJudge(sheets);
  return [
    externalRelationships(),
    workbooks(sheets),
    allowedParts(KINDS),
    pivotTables(),
    references(),
    images(metafiles),
    allowedChildren(CHILDREN),
    removedElements(REMOVED),
    actions(),
    cells(judge),
    formulaPlaces(judge),
    headers(),
    normalStyle(),
    countedElements(COUNTED),
    ...shapeBounds(),
    ...further,
  ];
}
