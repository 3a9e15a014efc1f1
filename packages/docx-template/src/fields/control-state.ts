import { formatDate, isoDay, isoTime, PICTURE_CHARS_MAX, readDate } from '@scriptorium/expressions/date';
import { attributeOf, childOf, childValue } from '@scriptorium/ooxml/xml';
import type { PackageEditor } from '../package-editor.ts';
import type { Control } from '../template/controls.ts';
import { removeElement, setAttribute } from './attributes.ts';
import { choicesOf } from './choices.ts';
import { invalidField } from './invalid.ts';
import { repeatsParagraphs } from './rich-content.ts';

/** What a control displays for a value, and what it stores. */
export interface ControlState {
  text: string;
  /** The value for the bound data. */
  stored: string;
  /** The font of a symbol. */
  font?: string;
}

const ON = new Set(['true', '1', 'yes', 'on', 'x', '☒', '☑', '✓', '✔']);
const OFF = new Set(['false', '0', 'no', 'off', '', '☐']);
const CHOICES_NAMED_MAX = 20;
const [CHECKED, UNCHECKED] = ['2612', '2610'];
const SYMBOL_FONT = 'MS Gothic';

/**
 * Sets the state of a control for a text value. Throws VALIDATION_ERROR for a value that the control cannot have.
 * `path` is the path of the value.
 */
export function setState(editor: PackageEditor, control: Control, value: string, path: string): ControlState {
  switch (control.kind) {
    case 'checkbox':
      return setCheckbox(editor, control, value, path);
    case 'drop-down':
    case 'combo box':
      return setChoice(editor, control, value, path);
    case 'date':
      return setDate(editor, control, value);
    case 'plain text':
      if (/[\v\r\n]/.test(value)) setOn(editor, control, 'w:text', 'w:multiLine', '1');
      return { text: value, stored: value };
    case 'picture':
      // A control with text cannot stay a picture control.
      removeElement(editor, control.story, control.properties && childOf(control.properties, 'w:picture'));
      return { text: value, stored: value };
    default:
      // A repeating section contains items, not text.
      if (!repeatsParagraphs(control))
        removeElement(
          editor,
          control.story,
          control.properties && childOf(control.properties, 'w15:repeatingSection'),
        );
      return { text: value, stored: value };
  }
}

function setOn(editor: PackageEditor, control: Control, element: string, name: string, value?: string): void {
  const node = control.properties && childOf(control.properties, element);
  if (node !== undefined) setAttribute(editor, control.story, node, name, value);
}

function setCheckbox(editor: PackageEditor, control: Control, value: string, path: string): ControlState {
  const word = value.trim().toLowerCase();
  const isOn = ON.has(word);
  if (!isOn && !OFF.has(word)) throw invalidField(path, 'must be true or false, because it fills a checkbox');
  const box = control.properties && childOf(control.properties, 'w14:checkbox');
  const checked = box && childOf(box, 'w14:checked');
  if (checked !== undefined) setAttribute(editor, control.story, checked, 'w14:val', isOn ? '1' : '0');
  else if (box !== undefined && isOn) addChecked(editor, control, box);
  const symbol = box && childOf(box, isOn ? 'w14:checkedState' : 'w14:uncheckedState');
  const code = Number.parseInt(
    (symbol && attributeOf(symbol, 'w14:val')) ?? (isOn ? CHECKED : UNCHECKED),
    16,
  );
  const isCharacter = code > 0x20 && code <= 0xffff && !(code >= 0xd800 && code <= 0xdfff) && code < 0xfffe;
  return {
    text: isCharacter ? String.fromCharCode(code) : isOn ? '☒' : '☐',
    stored: String(isOn),
    font: (symbol && attributeOf(symbol, 'w14:font')) ?? SYMBOL_FONT,
  };
}

/** Adds it as the first child, as the schema requires (MS-DOCX 2.6.2.1). */
function addChecked(
  editor: PackageEditor,
  { story }: Control,
  box: { start: number; openEnd: number; end: number },
): void {
  const tag = story.xml.slice(box.start, box.openEnd);
  const name = /^<([^\s/>]+)/.exec(tag)?.[1] ?? '';
  const prefix = name.slice(0, name.indexOf(':') + 1);
  const checked = `<${prefix}checked ${prefix}val="1"/>`;
  if (box.openEnd < box.end) editor.edit(story, { start: box.openEnd, end: box.openEnd, text: checked });
  else
    editor.edit(story, {
      start: box.start,
      end: box.end,
      text: `${tag.slice(0, -2).trimEnd()}>${checked}</${name}>`,
    });
}

function setChoice(editor: PackageEditor, control: Control, value: string, path: string): ControlState {
  const choices = choicesOf(control);
  const choice =
    choices.find(({ text }) => text === value) ?? choices.find((candidate) => candidate.value === value);
  if (choice === undefined && control.kind === 'drop-down' && value !== '') {
    const names = choices.slice(0, CHOICES_NAMED_MAX).map(({ text }) => `“${text}”`);
    throw invalidField(path, `must be one of the choices of its drop-down list: ${names.join(', ')}`);
  }
  const element = control.kind === 'drop-down' ? 'w:dropDownList' : 'w:comboBox';
  const stored = choice?.value ?? value;
  const list = control.properties && childOf(control.properties, element);
  if (list !== undefined && attributeOf(list, 'w:lastValue') !== undefined)
    setOn(editor, control, element, 'w:lastValue', stored);
  return { text: choice?.text ?? value, stored };
}

function setDate(editor: PackageEditor, control: Control, value: string): ControlState {
  const date = readDate(value);
  const node = control.properties && childOf(control.properties, 'w:date');
  setOn(editor, control, 'w:date', 'w:fullDate', date && `${isoTime(date)}Z`);
  if (date === undefined || node === undefined) return { text: value, stored: value };
  const picture = childValue(node, 'w:dateFormat');
  const text =
    picture === undefined || picture.length > PICTURE_CHARS_MAX
      ? value
      : formatDate(date, picture, childValue(node, 'w:lid') ?? 'en-US');
  const storedAs = childValue(node, 'w:storeMappedDataAs') ?? 'dateTime';
  if (storedAs === 'text') return { text, stored: text };
  return { text, stored: storedAs === 'date' ? isoDay(date) : isoTime(date) };
}
