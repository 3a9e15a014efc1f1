const names = (text: string) => text.trim().split(/\s+/);

/** Alternatives at one place of a sequence are joined by a bar. */
type Sequence = readonly string[];

/**
 * Children of properties, in order, each once (ECMA-376-1 annex A, transitional). Children in other namespaces are
 * extensions and are allowed anywhere.
 */
export const SEQUENCES: Readonly<Record<string, Sequence>> = {
  'w:sdtPr':
    names(`w:rPr w:alias w:tag w:id w:lock w:placeholder w:temporary w:showingPlcHdr w:dataBinding w:label
    w:tabIndex w:equation|w:comboBox|w:date|w:docPartObj|w:docPartList|w:dropDownList|w:picture|w:richText|w:text|w:citation|w:group|w:bibliography`),
  'w:pPr': names(`w:pStyle w:keepNext w:keepLines w:pageBreakBefore w:framePr w:widowControl w:numPr
    w:suppressLineNumbers w:pBdr w:shd w:tabs w:suppressAutoHyphens w:kinsoku w:wordWrap w:overflowPunct
    w:topLinePunct w:autoSpaceDE w:autoSpaceDN w:bidi w:adjustRightInd w:snapToGrid w:spacing w:ind
    w:contextualSpacing w:mirrorIndents w:suppressOverlap w:jc w:textDirection w:textAlignment w:textboxTightWrap
    w:outlineLvl w:divId w:cnfStyle w:rPr w:sectPr w:pPrChange`),
  'w:tcPr':
    names(`w:cnfStyle w:tcW w:gridSpan w:hMerge w:vMerge w:tcBorders w:shd w:noWrap w:tcMar w:textDirection
    w:tcFitText w:vAlign w:hideMark w:headers w:cellIns|w:cellDel|w:cellMerge w:tcPrChange`),
  'w:tblPr':
    names(`w:tblStyle w:tblpPr w:tblOverlap w:bidiVisual w:tblStyleRowBandSize w:tblStyleColBandSize w:tblW
    w:jc w:tblCellSpacing w:tblInd w:tblBorders w:shd w:tblLayout w:tblCellMar w:tblLook w:tblCaption
    w:tblDescription w:tblPrChange`),
  'w:tblPrEx':
    names(`w:tblW w:jc w:tblCellSpacing w:tblInd w:tblBorders w:shd w:tblLayout w:tblCellMar w:tblLook
    w:tblPrExChange`),
  'w:tblBorders': names('w:top w:left|w:start w:bottom w:right|w:end w:insideH w:insideV'),
  'w:tcBorders': names('w:top w:left|w:start w:bottom w:right|w:end w:insideH w:insideV w:tl2br w:tr2bl'),
  'w:sdt': names('w:sdtPr w:sdtEndPr w:sdtContent'),
  'wp:inline': names('wp:extent wp:effectExtent wp:docPr wp:cNvGraphicFramePr a:graphic'),
  'wp:anchor': names(`wp:simplePos wp:positionH wp:positionV wp:extent wp:effectExtent
    wp:wrapNone|wp:wrapSquare|wp:wrapTight|wp:wrapThrough|wp:wrapTopAndBottom wp:docPr wp:cNvGraphicFramePr a:graphic`),
  'pic:pic': names('pic:nvPicPr pic:blipFill pic:spPr'),
  'pic:blipFill': names('a:blip a:srcRect a:tile|a:stretch'),
};

/** Required children. */
export const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  'w:tbl': ['w:tblPr', 'w:tblGrid'],
  'wp:inline': ['wp:extent', 'wp:docPr', 'a:graphic'],
  'wp:anchor': ['wp:simplePos', 'wp:positionH', 'wp:positionV', 'wp:extent', 'wp:docPr', 'a:graphic'],
  'pic:pic': ['pic:nvPicPr', 'pic:blipFill', 'pic:spPr'],
};

/** Children that must come first if present, each once; `CONTENTS` lists what follows them. */
export const FIRST: Readonly<Record<string, Sequence>> = {
  'w:p': ['w:pPr'],
  'w:r': ['w:rPr'],
  'w:tc': ['w:tcPr'],
  'w:tr': ['w:tblPrEx', 'w:trPr'],
  'w:tbl': ['w:tblPr', 'w:tblGrid'],
};

const MARKS = names(`w:bookmarkStart w:bookmarkEnd w:commentRangeStart w:commentRangeEnd w:moveFromRangeStart
  w:moveFromRangeEnd w:moveToRangeStart w:moveToRangeEnd w:customXmlInsRangeStart w:customXmlInsRangeEnd
  w:customXmlDelRangeStart w:customXmlDelRangeEnd w:customXmlMoveFromRangeStart w:customXmlMoveFromRangeEnd
  w:customXmlMoveToRangeStart w:customXmlMoveToRangeEnd w:proofErr w:permStart w:permEnd`);
const AROUND = [...MARKS, ...names('w:sdt w:customXml w:customXmlPr w:ins w:del w:moveFrom w:moveTo')];

/** The allowed content of each level. */
export const CONTENTS = {
  block: new Set([...AROUND, 'w:p', 'w:tbl', 'w:altChunk', 'w:sectPr']),
  row: new Set([...AROUND, 'w:tr']),
  cell: new Set([...AROUND, 'w:tc']),
  inline: new Set([
    ...AROUND,
    ...names('w:r w:hyperlink w:fldSimple w:fldData w:smartTag w:smartTagPr w:subDoc w:dir w:bdo'),
  ]),
  run: new Set(
    names(`w:t w:tab w:br w:cr w:delText w:instrText w:delInstrText w:noBreakHyphen w:softHyphen w:dayShort
      w:monthShort w:yearShort w:dayLong w:monthLong w:yearLong w:annotationRef w:footnoteRef w:endnoteRef w:separator
      w:continuationSeparator w:sym w:pgNum w:object w:pict w:fldChar w:ruby w:footnoteReference
      w:endnoteReference w:commentReference w:drawing w:ptab w:lastRenderedPageBreak w:contentPart`),
  ),
} as const;

export type Level = keyof typeof CONTENTS;

/** The level of an element's direct content; other elements keep the level of their parent. */
export const LEVELS: Readonly<Record<string, Level>> = {
  'w:body': 'block',
  'w:hdr': 'block',
  'w:ftr': 'block',
  'w:footnote': 'block',
  'w:endnote': 'block',
  'w:comment': 'block',
  'w:txbxContent': 'block',
  'w:docPartBody': 'block',
  'w:tc': 'block',
  'w:tbl': 'row',
  'w:tr': 'cell',
  'w:p': 'inline',
  'w:hyperlink': 'inline',
  'w:fldSimple': 'inline',
  'w:smartTag': 'inline',
  'w:dir': 'inline',
  'w:bdo': 'inline',
  'w:r': 'run',
};

/** Their content is on the level of their parent. */
export const TRANSPARENT = new Set([
  'w:sdtContent',
  'w:customXml',
  'w:ins',
  'w:del',
  'w:moveFrom',
  'w:moveTo',
]);

/** WordprocessingML elements with text. */
export const TEXTS = new Set(['w:t', 'w:delText', 'w:instrText', 'w:delInstrText', 'w:fldData']);
