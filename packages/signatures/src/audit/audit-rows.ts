import { lineHeight, type Measure, type PageSize, Sheet, type Style, wrap } from './sheet.ts';

const TITLE: Style = { face: 'bold', size: 18, gray: 0 };
export const LEAD: Style = { face: 'regular', size: 9, gray: 0.35 };
const HEADING: Style = { face: 'bold', size: 10.5, gray: 0 };
const LABEL: Style = { face: 'regular', size: 8.5, gray: 0.4 };
const VALUE: Style = { face: 'regular', size: 9, gray: 0 };
export const CODE: Style = { face: 'mono', size: 8, gray: 0 };
const FOOTER: Style = { face: 'regular', size: 7.5, gray: 0.4 };

const MARGIN_MAX = 54;
const LABEL_WIDTH_MAX = 110;
const VALUE_LINES_MAX = 6;

const ROW_PADDING = 3;
/** In points. */
const PICTURE_BOX = { width: 140, height: 44 };

/** A label and its value; `style` is that of the value. */
export interface AuditRow {
  label: string;
  value: string;
  style?: Style;
  /** Shown instead of the value: an image of the resources, with its size in pixels. */
  picture?: Picture | undefined;
}

export interface Picture {
  name: string;
  width: number;
  height: number;
}

/** Returns an empty sheet with room for `footers`. */
export function sheetWithFooter(size: PageSize, measure: Measure): Sheet {
  const side = Math.min(MARGIN_MAX, size.width / 11);
  return new Sheet(size, { top: side, bottom: side + 2 * lineHeight(FOOTER), side }, measure);
}

/** Draws the title of the first page, and what the pages are. */
export function title(sheet: Sheet, text: string, lead: string): void {
  sheet.text(text, sheet.left, sheet.y, TITLE);
  sheet.y += lineHeight(TITLE) + 2;
  sheet.y += sheet.lines(wrap(lead, LEAD, sheet.width, sheet.measure), sheet.left, sheet.y, LEAD) + 8;
  sheet.rule(1.2, 0);
  sheet.y += 4;
}

/** Draws a heading, on a new page if `heightBelow` does not fit below it. */
export function heading(sheet: Sheet, text: string, heightBelow: number): void {
  sheet.need(14 + lineHeight(HEADING) + 3 + heightBelow);
  sheet.y += 14;
  sheet.text(text, sheet.left, sheet.y, HEADING);
  sheet.y += lineHeight(HEADING) + 3;
}

/** Draws rows below a heading; nothing if there are none. */
export function section(sheet: Sheet, name: string, rows: AuditRow[]): void {
  const cells = rows.map((row) => cellsOf(sheet, row));
  const [first] = cells;
  if (!first) return;
  heading(sheet, name, first.height);
  for (const row of cells) drawRow(sheet, row);
  sheet.rule(0.4, 0.75);
}

interface Cells {
  labels: string[];
  values: string[];
  valueX: number;
  style: Style;
  picture: Picture | undefined;
  height: number;
}

export function cellsOf(sheet: Sheet, { label, value, style = VALUE, picture }: AuditRow): Cells {
  const labelWidth = Math.min(LABEL_WIDTH_MAX, sheet.width / 3);
  const labels = wrap(label, LABEL, labelWidth - 8, sheet.measure, 3);
  const values = wrap(value, style, sheet.width - labelWidth, sheet.measure, VALUE_LINES_MAX);
  const placed = picture && fitted(picture);
  const lines = Math.max(
    labels.length * lineHeight(LABEL),
    values.length * lineHeight(style),
    lineHeight(VALUE),
    placed?.height ?? 0,
  );
  const height = lines + 2 * ROW_PADDING;
  return { labels, values, valueX: sheet.left + labelWidth, style, picture: placed, height };
}

function fitted({ name, width, height }: Picture): Picture {
  const scale = Math.min(PICTURE_BOX.width / width, PICTURE_BOX.height / height);
  return { name, width: width * scale, height: height * scale };
}

export function drawRow(sheet: Sheet, { labels, values, valueX, style, picture, height }: Cells): void {
  sheet.need(height);
  sheet.rule(0.4, 0.75);
  const y = sheet.y + ROW_PADDING;
  sheet.lines(labels, sheet.left, y + VALUE.size - LABEL.size, LABEL);
  sheet.lines(values, valueX, y + VALUE.size - style.size, style);
  if (picture) sheet.page.images.push({ ...picture, x: valueX, y });
  sheet.y += height;
}

/** Numbers the pages at their foot, below a line. */
export function footers({ pages, measure, left: side }: Sheet, size: PageSize, label: string): void {
  const y = size.height - side;
  for (const [index, page] of pages.entries()) {
    const number = `Page ${index + 1} of ${pages.length}`;
    page.bars.push({
      x: side,
      y: y - lineHeight(FOOTER) - 4,
      width: size.width - 2 * side,
      height: 0.4,
      gray: 0.75,
    });
    page.texts.push({ x: side, y, text: label, style: FOOTER });
    page.texts.push({ x: size.width - side - measure(number, FOOTER), y, text: number, style: FOOTER });
  }
}
