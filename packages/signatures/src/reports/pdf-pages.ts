import { CODE, cellsOf, drawRow, footers, heading, section, sheetWithFooter } from '../audit/audit-rows.ts';
import { eventTable } from '../audit/event-table.ts';
import {
  lineHeight,
  type Measure,
  type Page,
  type PageSize,
  type Shade,
  type Sheet,
  type Style,
  wrap,
} from '../audit/sheet.ts';
import type { Picture } from '../verify-report.ts';
import type { AuditSection, Fact, ReportModel, SignatureSection } from './model.ts';
import { pictureText, type QuestionAnswer, type Tone } from './sentences.ts';

/** The same hues as on the page for browsers. */
const TONES: Record<Tone, NonNullable<Shade['color']>> = {
  good: [0.04, 0.42, 0.23],
  doubt: [0.54, 0.32, 0],
  bad: [0.7, 0.1, 0.12],
  neutral: [0.24, 0.27, 0.33],
};
const TINTS: Record<Tone, NonNullable<Shade['color']>> = {
  good: [0.9, 0.96, 0.93],
  doubt: [0.99, 0.95, 0.86],
  bad: [0.99, 0.92, 0.92],
  neutral: [0.93, 0.93, 0.95],
};

const KIND: Style = { face: 'regular', size: 9, gray: 0.35 };
const HEADLINE: Style = { face: 'bold', size: 17, gray: 0 };
const BODY: Style = { face: 'regular', size: 9.5, gray: 0.1 };
const QUESTION: Style = { face: 'regular', size: 8.5, gray: 0.35 };
const ANSWER: Style = { face: 'bold', size: 12, gray: 0 };
const SMALL: Style = { face: 'regular', size: 8.5, gray: 0.2 };
const NAME: Style = { face: 'bold', size: 11, gray: 0 };
const MARK: Style = { face: 'bold', size: 9, gray: 0 };
const LABEL: Style = { face: 'bold', size: 9, gray: 0.1 };

const PADDING = 12;
const GAP = 10;
const TONE_BAR = 4;
const NAME_LINES_MAX = 3;
const PICTURE_HEIGHT_MAX = 340;

const toned = (style: Style, tone: Tone): Style => ({ ...style, color: TONES[tone] });

/** Lays out a report on pages of `size`, in points. */
export function reportPages(
  model: ReportModel,
  pictures: readonly Picture[],
  size: PageSize,
  measure: Measure,
): Page[] {
  const sheet = sheetWithFooter(size, measure);
  sheet.text(model.title, sheet.left, sheet.y, KIND);
  sheet.y += lineHeight(KIND) + 6;
  verdictBanner(sheet, model.verdict);
  if (model.answers.length > 0) answerColumns(sheet, model.answers);
  section(sheet, 'Document', model.document.map(rowOf));
  for (const [index, each] of model.signatures.entries()) signature(sheet, each, index === 0);
  if (model.signaturesLeftOut !== undefined) paragraph(sheet, model.signaturesLeftOut, SMALL);
  if (model.audit !== undefined) audit(sheet, model.audit);
  changedPages(sheet, pictures);
  const limits = model.limits.map((text) => itemOf(sheet, text, 'neutral'));
  heading(sheet, 'What this report does not say', heightOfFirst(limits));
  drawItems(sheet, limits);
  footers(sheet, size, model.title);
  return sheet.pages;
}

/** Names a picture in the resources of the pages. */
export const imageName = (index: number): string => `I${index}`;

/** Lies under a picture, whose edges are white. */
const frameOf = ({ x, y, width, height }: { x: number; y: number; width: number; height: number }) => ({
  x: x - 0.5,
  y: y - 0.5,
  width: width + 1,
  height: height + 1,
  gray: 0.6,
});

/** Two pictures beside each other. */
function changedPages(sheet: Sheet, pictures: readonly Picture[]): void {
  const width = (sheet.width - GAP) / 2;
  const heightOf = (picture: Picture) =>
    Math.min((width * picture.height) / picture.width, PICTURE_HEIGHT_MAX);
  for (let first = 0; first < pictures.length; first += 2) {
    const row = pictures.slice(first, first + 2);
    const texts = row.map((picture) => wrap(pictureText(picture), SMALL, width, sheet.measure, 3));
    const textHeight = Math.max(...texts.map(({ length }) => length)) * lineHeight(SMALL) + 3;
    const height = textHeight + Math.max(...row.map(heightOf)) + GAP;
    if (first === 0) heading(sheet, 'Changed pages', height);
    sheet.need(height);
    for (const [column, picture] of row.entries()) {
      const x = sheet.left + column * (width + GAP);
      sheet.lines(texts[column] ?? [], x, sheet.y, SMALL);
      const size = { height: heightOf(picture), width: (heightOf(picture) * picture.width) / picture.height };
      const place = { x, y: sheet.y + textHeight, ...size };
      sheet.page.bars.push(frameOf(place));
      sheet.page.images.push({ name: imageName(first + column), ...place });
    }
    sheet.y += height;
  }
}

const rowOf = ({ label, value, isClaimed, isCode }: Fact) => ({
  label: isClaimed ? `${label} (claimed)` : label,
  value,
  ...(isCode && { style: CODE }),
});

function verdictBanner(sheet: Sheet, { tone, headline, text }: ReportModel['verdict']): void {
  const width = sheet.width - 2 * PADDING - TONE_BAR;
  const head = wrap(headline, HEADLINE, width, sheet.measure, 3);
  const body = wrap(text, BODY, width, sheet.measure, 8);
  const height = head.length * lineHeight(HEADLINE) + body.length * lineHeight(BODY) + 2 * PADDING - 4;
  const place = { y: sheet.y, height, gray: 0 };
  sheet.page.bars.push({ ...place, x: sheet.left, width: sheet.width, color: TINTS[tone] });
  sheet.page.bars.push({ ...place, x: sheet.left, width: TONE_BAR, color: TONES[tone] });
  const x = sheet.left + TONE_BAR + PADDING;
  let y = sheet.y + PADDING - 4;
  y += sheet.lines(head, x, y, toned(HEADLINE, tone));
  sheet.lines(body, x, y + 2, BODY);
  sheet.y += height + GAP;
}

/** The questions beside each other, each with its answer. */
function answerColumns(sheet: Sheet, answers: readonly QuestionAnswer[]): void {
  const width = (sheet.width - (answers.length - 1) * GAP) / answers.length;
  const columns = answers.map(({ question, answer, tone, text }) => ({
    tone,
    parts: [
      { style: QUESTION, lines: wrap(question, QUESTION, width, sheet.measure, 3) },
      { style: toned(ANSWER, tone), lines: wrap(answer, ANSWER, width, sheet.measure, 2) },
      { style: SMALL, lines: wrap(text, SMALL, width, sheet.measure, 12) },
    ],
  }));
  const heights = columns.map(({ parts }) =>
    parts.reduce((sum, { style, lines }) => sum + lines.length * lineHeight(style), 0),
  );
  sheet.need(Math.max(...heights) + GAP);
  for (const [index, { tone, parts }] of columns.entries()) {
    const x = sheet.left + index * (width + GAP);
    sheet.page.bars.push({ x, y: sheet.y, width, height: 1.5, gray: 0, color: TONES[tone] });
    let y = sheet.y + 5;
    for (const { style, lines } of parts) y += sheet.lines(lines, x, y, style);
  }
  sheet.y += Math.max(...heights) + GAP;
}

function signature(sheet: Sheet, one: SignatureSection, isFirst: boolean): void {
  const { title, name, isNameClaimed, tone, result, answers, facts, findings, changes } = one;
  if (isFirst) heading(sheet, 'Signatures', 90);
  else sheet.y += 16;
  const resultWidth = sheet.measure(result, toned(MARK, tone));
  const nameWidth = sheet.width - resultWidth - 2 * GAP;
  const names = wrap(
    isNameClaimed ? `${name} (claimed)` : name,
    NAME,
    nameWidth,
    sheet.measure,
    NAME_LINES_MAX,
  );
  const brief = answers.map(({ label, answer }) => `${label}: ${answer}`).join('  ·  ');
  sheet.need(lineHeight(KIND) + names.length * lineHeight(NAME) + lineHeight(SMALL) + 60);
  sheet.rule(1.5, 0);
  sheet.page.bars.push({
    x: sheet.left,
    y: sheet.y,
    width: sheet.width,
    height: 1.5,
    gray: 0,
    color: TONES[tone],
  });
  sheet.y += 6;
  sheet.text(title, sheet.left, sheet.y, QUESTION);
  sheet.text(result, sheet.left + sheet.width - resultWidth, sheet.y, toned(MARK, tone));
  sheet.y += lineHeight(QUESTION);
  sheet.y += sheet.lines(names, sheet.left, sheet.y, NAME);
  paragraph(sheet, brief, SMALL);
  sheet.y += 3;
  for (const fact of facts) drawRow(sheet, cellsOf(sheet, rowOf(fact)));
  sheet.rule(0.4, 0.75);
  items(sheet, 'Findings', findings);
  items(
    sheet,
    'Changes after signing',
    changes.map((text) => ({ tone: 'neutral', text })),
  );
}

function items(sheet: Sheet, title: string, list: readonly { tone: Tone; text: string }[]): void {
  if (list.length === 0) return;
  const all = list.map(({ tone, text }) => itemOf(sheet, text, tone));
  sheet.need(lineHeight(LABEL) + heightOfFirst(all) + 10);
  sheet.y += 8;
  sheet.text(title, sheet.left, sheet.y, LABEL);
  sheet.y += lineHeight(LABEL) + 2;
  drawItems(sheet, all);
}

/** A paragraph with a bar of its tone at the side. */
interface Item {
  lines: string[];
  height: number;
  tone: Tone;
}

function itemOf(sheet: Sheet, text: string, tone: Tone): Item {
  const lines = wrap(text, SMALL, sheet.width - GAP, sheet.measure, 12);
  return { lines, height: lines.length * lineHeight(SMALL) + 3, tone };
}

/**
 * Height of what follows a heading on its page. A list of three stays whole, since neither its first nor its last item stands
 * alone.
 */
const heightOfFirst = (items: readonly Item[]): number =>
  items.slice(0, items.length <= 3 ? 3 : 2).reduce((sum, { height }) => sum + height, 0);

function drawItems(sheet: Sheet, items: readonly Item[]): void {
  for (const [at, { lines, height, tone }] of items.entries()) {
    const last = at === items.length - 2 ? (items[at + 1]?.height ?? 0) : 0;
    sheet.need(height + last);
    const bar = { x: sheet.left, y: sheet.y + 1, width: 2, height: height - 3, gray: 0 };
    sheet.page.bars.push({ ...bar, color: TONES[tone] });
    sheet.y += sheet.lines(lines, sheet.left + GAP, sheet.y, SMALL) + 3;
  }
}

function paragraph(sheet: Sheet, text: string, style: Style): void {
  const lines = wrap(text, style, sheet.width, sheet.measure, 12);
  sheet.need(lines.length * lineHeight(style));
  sheet.y += sheet.lines(lines, sheet.left, sheet.y, style) + 2;
}

function audit(sheet: Sheet, { facts, events, more }: AuditSection): void {
  section(sheet, 'Audit trail', facts.map(rowOf));
  if (events.length > 0) {
    heading(sheet, 'Events (claimed)', 60);
    eventTable(sheet, events);
  }
  sheet.y += 4;
  if (more !== undefined) paragraph(sheet, more, SMALL);
}
