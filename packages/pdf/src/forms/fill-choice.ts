import { literal } from '../write/literal.ts';
import { controlIssue, missingIssue, showText, styleOf } from './fill-text.ts';
import type { Filling, Issue, Look } from './filling.ts';
import { type FormField, has, type Option, optionsOf } from './form-fields.ts';
import { frameOf } from './frame.ts';
import { listLook, shownOptions } from './list-look.ts';

const OPTIONS_SHOWN_MAX = 10;
/** More is cut off at the edge of a list. */
const LABEL_CHARS_MAX = 1_000;
const OPTION_CHARS_MAX = 60;

/** Fills a drop-down list, or a combo box with any text. */
export function fillList(filling: Filling, field: FormField, text: string): Issue {
  const options = optionsOf(filling.document, field);
  const find = placeOf(options);
  const place = find(text) ?? -1;
  const option = options[place];
  if (text !== '' && !option && (field.kind === 'drop-down' || text.includes('\n')))
    return wrongOption(options);
  const issue = option
    ? showText(filling, field, option.label)
    : (controlIssue(text) ?? showText(filling, field, text));
  if (issue !== undefined) return issue;
  const value = option?.code ?? text;
  // Options of the same value differ by their place only.
  const isTwofold = option !== undefined && find(value) !== place;
  filling.setValue(field, {
    V: value === '' ? undefined : literal.text(value),
    I: isTwofold ? `[${place}]` : undefined,
  });
  return undefined;
}

/** Chooses options of a list box, one in each line of the text. */
export function fillListBox(filling: Filling, field: FormField, text: string): Issue {
  const options = optionsOf(filling.document, field);
  const wanted = text === '' ? [] : text.replace(/\r\n?/g, '\n').split('\n');
  if (wanted.length > 1 && !has(field, 'multiSelect'))
    return 'has several lines, and the field takes one option';
  const found = wanted.map(placeOf(options));
  const chosen = new Set(found.filter((place) => place !== undefined));
  if (found.includes(undefined)) return wrongOption(options);
  const places = [...chosen].sort((a, b) => a - b);
  const { issue, top } = showOptions(filling, field, options, chosen);
  if (issue !== undefined) return issue;
  const values = places.map((place) => literal.text(options[place]?.code ?? ''));
  const value = values.length > 1 ? `[${values.join(' ')}]` : values[0];
  filling.setValue(field, {
    V: value,
    I: places.length > 0 ? `[${places.join(' ')}]` : undefined,
    TI: top > 0 ? String(top) : undefined,
  });
  return undefined;
}

/** Draws a list box in all its widgets. */
export function showOptions(
  filling: Filling,
  field: FormField,
  options: readonly Option[],
  chosen: ReadonlySet<number>,
): { issue?: string; top: number } {
  const labels = options.map(({ label }) => label.slice(0, LABEL_CHARS_MAX).replace(/[\t\r\n]/g, ' '));
  const looks: Look[] = [];
  let top = 0;
  for (const widget of field.widgets) {
    const frame = frameOf(filling.document, widget.dict);
    if (!frame) continue;
    const style = styleOf(filling, field, widget);
    const layout = { labels, chosen, size: style.size, color: style.color };
    const shown = shownOptions(layout, frame);
    if (filling.isFlattened && !shown.hasAllChosen)
      return { top, issue: 'has options that its list cannot show at once, and flattening would lose them' };
    const text = shown.labels.join('');
    filling.count(text);
    const font = filling.fonts.of(style.font, text);
    if (!font)
      return {
        top,
        issue: 'is for a list whose letters its font lacks, and after a signature no font may be added',
      };
    const lost = missingIssue(shown.labels.flatMap((label) => font.missingIn(label)));
    if (lost !== undefined) return { top, issue: lost };
    looks.push({ widget, font, frame, content: listLook(font, layout, shown, frame) });
    top = shown.top;
  }
  filling.show(looks);
  return { top };
}

/** Finds the place of an option by its value, or else by its label. */
export function placeOf(options: readonly Option[]): (text: string) => number | undefined {
  const places = new Map<string, number>();
  for (const key of ['code', 'label'] as const)
    for (const [at, option] of options.entries()) if (!places.has(option[key])) places.set(option[key], at);
  return (text) => places.get(text);
}

function wrongOption(options: readonly Option[]): string {
  return `must be an option of the field: ${listed(options.map(({ code }) => code))}`;
}

/** Some of a list of names, for people. */
export function listed(names: readonly string[]): string {
  const shown = names.slice(0, OPTIONS_SHOWN_MAX).map((name) => `\`${name.slice(0, OPTION_CHARS_MAX)}\``);
  return `${shown.join(', ')}${names.length > OPTIONS_SHOWN_MAX ? ' …' : ''}`;
}
