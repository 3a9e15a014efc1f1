import { buttonStates, turnOn } from './fill-buttons.ts';
import { placeOf, showOptions } from './fill-choice.ts';
import { formatted, showText } from './fill-text.ts';
import type { Filling, Issue } from './filling.ts';
import { type FormField, has, isSeen, nameText, optionsOf, type ReadForm, valuesOf } from './form-fields.ts';

/**
 * Draws the fields that readers would have to draw themselves, with the values that they have. Returns what is wrong with the
 * first one that cannot be drawn.
 */
export function redrawOthers(
  filling: Filling,
  { dict, fields }: ReadForm,
  filled: ReadonlySet<FormField>,
): { field: FormField; issue: string } | undefined {
  const { document } = filling;
  const isAsked = document.get(dict, 'NeedAppearances') === true;
  let first: { field: FormField; issue: string } | undefined;
  for (const field of fields.values()) {
    if (filled.has(field) || !field.widgets.some((widget) => isSeen(document, widget))) continue;
    const values = valuesOf(document, field);
    const lacksLook = field.widgets.some(({ dict: widget }) => {
      const looks = document.dict(widget, 'AP');
      return !looks || document.get(looks, 'N') === null;
    });
    // Its caption is not a value.
    if (field.kind === 'button' && isAsked && lacksLook && !filling.isFlattened)
      first ??= { field, issue: 'is a button, which readers draw' };
    if (!isAsked && (!lacksLook || values.join('') === '')) continue;
    const issue = redraw(filling, field, values);
    if (issue !== undefined) first ??= { field, issue };
  }
  return first;
}

function redraw(filling: Filling, field: FormField, values: readonly string[]): Issue {
  const [value = ''] = values;
  switch (field.kind) {
    case 'text': {
      if (has(field, 'password')) return undefined;
      const text = value.replace(/\r\n?/g, '\n');
      return showText(filling, field, formatted(filling, field, text).shown ?? text);
    }
    case 'drop-down':
    case 'combo box': {
      const options = optionsOf(filling.document, field);
      return showText(filling, field, options[placeOf(options)(value) ?? -1]?.label ?? value);
    }
    case 'list box': {
      const options = optionsOf(filling.document, field);
      const places = values.map(placeOf(options)).filter((place) => place !== undefined);
      return showOptions(filling, field, options, new Set(places)).issue;
    }
    case 'checkbox':
    case 'radio buttons': {
      const states = buttonStates(filling, field);
      const named = states.find(({ on }) => nameText(on.text) === value);
      if (named || value === 'Off') turnOn(filling, field, states, named?.on.text);
      return undefined;
    }
    default:
      return undefined;
  }
}
