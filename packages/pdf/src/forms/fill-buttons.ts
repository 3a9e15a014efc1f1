import { Name, type PdfValue } from '../read/values.ts';
import { literal } from '../write/literal.ts';
import { markLook } from './button-look.ts';
import { listed } from './fill-choice.ts';
import { styleOf } from './fill-text.ts';
import type { Filling, Issue } from './filling.ts';
import { type FormField, hasLook, nameText, onState, type Widget } from './form-fields.ts';
import { frameOf } from './frame.ts';

/** A widget of a check box or of radio buttons, and what it stands for. */
export interface ButtonState {
  widget: Widget;
  /** The name of its state when it is on. */
  on: Name;
  /** What callers name: its export value (/Opt), or else the name of its state. */
  label: string;
  hasLook: boolean;
}

export function buttonStates({ document }: Pick<Filling, 'document'>, field: FormField): ButtonState[] {
  const options = field.get('Opt');
  const labels: readonly PdfValue[] = Array.isArray(options) ? options : [];
  const knowns = field.widgets.map((widget) => onState(document, widget.dict));
  const names = new Set(knowns.map((known) => known?.text));
  const first = knowns.find((known) => known !== undefined);
  return field.widgets.map((widget, at) => {
    const known = knowns[at];
    const own = names.has(String(at)) ? `Choice${at}` : String(at);
    const on = known ?? (field.kind === 'checkbox' ? (first ?? new Name('Yes')) : new Name(own));
    const label = field.text(document.resolve(labels[at] ?? null)) || nameText(field.text(on));
    return { widget, on, label, hasLook: hasLook(document, widget.dict, on) };
  });
}

/** Sets a check box, or chooses one of radio buttons; an empty text, `false` and `Off` set none. */
export function fillButtons(filling: Filling, field: FormField, text: string): Issue {
  const states = buttonStates(filling, field);
  const names = [...new Set(states.map(({ on }) => on.text))];
  const named =
    states.find(({ label }) => label === text) ?? states.find(({ on }) => nameText(on.text) === text);
  const only = text === 'true' && names.length === 1 ? states[0] : undefined;
  const chosen = (named ?? only)?.on.text;
  if (chosen === undefined && !['', 'false', 'Off'].includes(text)) {
    const labels = [...new Set(states.map(({ label }) => label))];
    return `must be ${names.length === 1 ? '`true`, `false` or ' : ''}a state of the field: ${listed(labels)}`;
  }
  const shared = states.find(({ on, label }) => on.text === chosen && label !== (named ?? only)?.label);
  if (shared) return `is for a button whose state is that of another one: ${listed([shared.label])}`;
  turnOn(filling, field, states, chosen);
  filling.setValue(field, { V: chosen === undefined ? '/Off' : literal.name(chosen) });
  return undefined;
}

/** Shows the buttons of a state as on, and the others as off. */
export function turnOn(
  filling: Filling,
  field: FormField,
  states: readonly ButtonState[],
  chosen: string | undefined,
): void {
  for (const state of states) {
    const { ref, dict } = state.widget;
    const own = state.on.text === chosen ? literal.name(chosen) : '/Off';
    const look = state.hasLook ? {} : newLooks(filling, field, state);
    filling.set(ref, dict, { AS: own, ...look });
  }
}

function newLooks(filling: Filling, field: FormField, { widget, on }: ButtonState): { AP?: string } {
  const { document } = filling;
  const frame = frameOf(document, widget.dict);
  if (!frame) return {};
  const { color } = styleOf(filling, field, widget);
  const stroke = color.toUpperCase();
  const mark = field.kind === 'checkbox' ? '4' : 'l';
  const shown = filling.look(markLook(document, widget.dict, frame, { mark, color, stroke }), frame, '<<>>');
  const empty = filling.look(frame.drawn, frame, '<<>>');
  return { AP: `<</N<<${literal.name(on.text)} ${shown}/Off ${empty}>>>>` };
}
