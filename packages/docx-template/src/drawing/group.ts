import type { PixelSize } from '@scriptorium/images/picture';
import { place } from './box.ts';
import { inlineDrawing } from './inline.ts';
import type { DrawingPlace } from './place.ts';

const COMPATIBILITY = 'http://schemas.openxmlformats.org/markup-compatibility/2006';
const GROUP = 'http://schemas.microsoft.com/office/word/2010/wordprocessingGroup';
const SHAPE = 'http://schemas.microsoft.com/office/word/2010/wordprocessingShape';

/** A group of Word (MS-ODRAWXML 2.24). It takes exactly its size in a line. */
export function wordGroup(name: string, size: PixelSize, members: string, to: DrawingPlace): string {
  const graphic =
    `<wpg:wgp xmlns:wpg="${GROUP}" xmlns:wps="${SHAPE}"><wpg:cNvGrpSpPr/>` +
    `<wpg:grpSpPr>${transform(size)}</wpg:grpSpPr>${members}</wpg:wgp>`;
  return drawing(name, size, GROUP, graphic, to);
}

/** A group in plain DrawingML (ECMA-376-1 §20.3). */
export function lockedCanvas(name: string, size: PixelSize, members: string, to: DrawingPlace): string {
  const { lc } = to.story.dialect.namespaces;
  const graphic =
    `<lc:lockedCanvas xmlns:lc="${lc}"><a:nvGrpSpPr><a:cNvPr id="0" name=""/><a:cNvGrpSpPr/></a:nvGrpSpPr>` +
    `<a:grpSpPr>${transform(size)}</a:grpSpPr>${members}</lc:lockedCanvas>`;
  return drawing(name, size, lc, graphic, to);
}

function drawing(name: string, size: PixelSize, uri: string, graphic: string, to: DrawingPlace): string {
  const { story, editor, description } = to;
  const id = editor.nextDrawingId();
  return inlineDrawing({ id, name, description, size, uri, graphic }, story.dialect);
}

/** The transformation of a group with the units of the page. */
function transform(size: PixelSize): string {
  const own = place({ left: 0, top: 0, ...size });
  const inner = own.replace('a:off', 'a:chOff').replace('a:ext', 'a:chExt');
  return `<a:xfrm>${own}${inner}</a:xfrm>`;
}

/** Alternative drawings. LibreOffice rejects a choice that requires two namespaces, although it supports both. */
export function wordOr(word: string, others: string): string {
  return (
    `<mc:AlternateContent xmlns:mc="${COMPATIBILITY}">` +
    `<mc:Choice xmlns:wpg="${GROUP}" xmlns:wps="${SHAPE}" Requires="wpg wps">${word}</mc:Choice>` +
    `<mc:Fallback>${others}</mc:Fallback></mc:AlternateContent>`
  );
}
