import { formattedBy, isUsualFormat } from '../changes/format-scripts.ts';
import type { PdfDocument } from '../read/document.ts';
import { literal } from '../write/literal.ts';
import type { Filling, Issue, Look } from './filling.ts';
import { type FormField, has, type Widget } from './form-fields.ts';
import { RIGHT_TO_LEFT } from './form-fonts.ts';
import { frameOf } from './frame.ts';
import { type TextLayout, textLook } from './text-look.ts';
import { readStyle, type TextStyle } from './text-style.ts';

const TEXT_CHARS_MAX = 50_000;
const SCRIPT_CHARS_MAX = 200;

/** Fills a text field. */
export function fillText(filling: Filling, field: FormField, value: string): Issue {
  const text = value.replace(/\r\n?/g, '\n');
  const wrong = unsuitable(field, text);
  if (wrong !== undefined) return wrong;
  const { script, shown } = formatted(filling, field, text);
  if (shown === undefined)
    return `does not have the format of the field: ${script?.trim().slice(0, SCRIPT_CHARS_MAX)}`;
  const issue = showText(filling, field, shown);
  if (issue !== undefined) return issue;
  // Readers compute a date from what they show.
  const stored = script !== undefined && /AF(?:Date|Time)/.test(script) ? shown : text;
  filling.setValue(field, { V: stored === '' ? undefined : literal.text(stored), RV: undefined });
  return undefined;
}

/** The number of characters that a field takes; 0 without a limit. */
export function lengthMaxOf(field: FormField): number {
  const length = field.get('MaxLen');
  return typeof length === 'number' && Number.isInteger(length) && length > 0 ? length : 0;
}

/** The number of cells of a field, one for each letter; 0 without cells. */
const cellsOf = (field: FormField): number =>
  field.kind === 'text' && has(field, 'comb') && !has(field, 'multiline') ? lengthMaxOf(field) : 0;

function unsuitable(field: FormField, text: string): Issue {
  if (has(field, 'fileSelect')) return 'is for a field that takes a file of the reader';
  if (has(field, 'password')) return 'is for a password field, whose value a PDF does not keep';
  const length = Array.from(text).length;
  const lengthMax = lengthMaxOf(field) || TEXT_CHARS_MAX;
  if (length > lengthMax) return `has ${length} characters, and the field takes ${lengthMax}`;
  if (text.includes('\n') && !has(field, 'multiline')) return 'has a line end, and the field takes one line';
  if (cellsOf(field) > 0 && RIGHT_TO_LEFT.test(text))
    return 'has letters from right to left, and the cells of the field are from left to right';
  return controlIssue(text);
}

/** Readers show no control characters. */
export const controlIssue = (text: string): Issue =>
  /[^\P{Cc}\t\n]|[\u2028\u2029]/u.test(text) ? 'has a control character' : undefined;

/** The script that formats the value of a field when it is shown (ISO 32000-2, table 199). */
function formatOf(document: PdfDocument, { holders, widgets, text }: FormField): string | undefined {
  for (const { dict } of [...holders, ...widgets]) {
    const actions = document.dict(dict, 'AA');
    const action = actions && document.dict(actions, 'F');
    const script = action ? text(document.get(action, 'JS')) : '';
    if (script.trim() !== '') return script;
  }
  return undefined;
}

/** A text as the format script of its field shows it; undefined if it does not have the format. */
export function formatted(
  filling: Filling,
  field: FormField,
  text: string,
): { script: string | undefined; shown: string | undefined } {
  const script = formatOf(filling.document, field);
  if (script === undefined || text === '') return { script, shown: text };
  if (isUsualFormat(script)) return { script, shown: formattedBy(script, text.trim())[0] };
  filling.skipsScripts = true;
  return { script, shown: text };
}

/** Draws a text in all widgets of a field. */
export function showText(filling: Filling, field: FormField, shown: string): Issue {
  const text = shown.replace(has(field, 'multiline') ? /\t/g : /[\t\n]/g, ' ');
  if (text.length > TEXT_CHARS_MAX) return `has more than ${TEXT_CHARS_MAX} characters`;
  const looks: Look[] = [];
  for (const widget of field.widgets) {
    const frame = frameOf(filling.document, widget.dict);
    if (!frame) continue;
    filling.count(text);
    const style = styleOf(filling, field, widget);
    const font = filling.fonts.of(style.font, text.replaceAll('\n', ''));
    if (!font)
      return 'has letters that the font of the field lacks, and after a signature no font may be added';
    const lost = missingIssue(text.split('\n').flatMap((line) => font.missingIn(line)));
    if (lost !== undefined) return lost;
    const layout = { ...layoutOf(filling, field, widget), size: style.size, color: style.color };
    const content = textLook(text, font, layout, frame);
    if (content === undefined) return 'does not fit the field at a legible size';
    looks.push({ widget, font, content, frame });
  }
  filling.show(looks);
  return undefined;
}

/** The style of a widget, or that of its field or form. */
export function styleOf({ document }: Filling, field: FormField, { dict }: Widget): TextStyle {
  return readStyle(field.text(document.get(dict, 'DA') ?? field.get('DA')));
}

const MISSING_SHOWN_MAX = 20;

export function missingIssue(missing: readonly string[]): Issue {
  if (missing.length === 0) return undefined;
  const shown = [...new Set(missing)].slice(0, MISSING_SHOWN_MAX).join(' ');
  return `has characters that no installed font shows: ${shown}`;
}

function layoutOf(
  { document }: Filling,
  field: FormField,
  { dict }: Widget,
): Omit<TextLayout, 'size' | 'color'> {
  const alignment = document.get(dict, 'Q') ?? field.get('Q');
  return {
    alignment: alignment === 1 || alignment === 2 ? alignment : 0,
    isMultiline: field.kind === 'text' && has(field, 'multiline'),
    cells: cellsOf(field),
  };
}
