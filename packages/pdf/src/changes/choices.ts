import type { Dict, PdfValue } from '../read/values.ts';
import type { Comparison } from './comparison.ts';
import { flagsOf, inheritedField } from './field.ts';
import { plain, textOf } from './shown-text.ts';

/** A flag of choice fields (ISO 32000-2, table 233). */
const COMBO = 1 << 17;
const OPTIONS_MAX = 5_000;
const SHOWN_CHARS_MAX = 20_000;

/** The options of a choice field, as pairs of export value and label. */
function optionsOf(c: Comparison, field: Dict): [string, string][] {
  const options = inheritedField(c.newer, field, 'Opt');
  return (Array.isArray(options) ? options : []).slice(0, OPTIONS_MAX).map((option) => {
    const item = c.newer.resolve(option);
    const [code, label] = Array.isArray(item) ? item.map((text) => c.newer.resolve(text)) : [item, item];
    return [plain(textOf(code ?? null)), plain(textOf(label ?? null))];
  });
}

const valuesOf = (c: Comparison, value: PdfValue): string[] =>
  (Array.isArray(value) ? value.map((item) => c.newer.resolve(item)) : [value]).map((item) =>
    plain(textOf(item)),
  );

/** Whether the look of a choice field shows its value, or options in a row with it. */
export function saysChoice(c: Comparison, field: Dict, value: PdfValue, shown: string): boolean {
  const options = optionsOf(c, field);
  const labels = new Map(options);
  const values = valuesOf(c, value);
  const valueLabels = values.map((item) => labels.get(item) ?? item);
  if ((flagsOf(c.newer, field) & COMBO) !== 0)
    return valueLabels.length === 1 && [valueLabels[0], values[0]].includes(shown);
  if (shown.length > SHOWN_CHARS_MAX) return false;
  if (valueLabels.includes(shown)) return true;
  // A list box shows its options in order. Only some of them may be in view.
  const wanted = new Set(valueLabels);
  return options.some((_, first) => {
    let isValueSeen = false;
    let at = 0;
    for (let index = first; index < options.length; index++) {
      const label = options[index]?.[1] ?? '';
      c.budget.spend('compared', label.length + 1);
      if (!shown.startsWith(label, at)) return false;
      at += label.length;
      isValueSeen ||= wanted.has(label);
      if (at === shown.length) return isValueSeen;
    }
    return false;
  });
}

/** Whether the selected indices match the value (ISO 32000-2, table 234). */
export function isChosen(c: Comparison, field: Dict, value: PdfValue): boolean {
  const places = c.newer.get(field, 'I');
  if (!Array.isArray(places) || places.length === 0) return true;
  const options = optionsOf(c, field);
  const chosen = places.map((place) => options[Number(c.newer.resolve(place))]);
  const values = valuesOf(c, c.newer.resolve(value));
  return (
    chosen.length === values.length && chosen.every((option) => option?.some((text) => values.includes(text)))
  );
}
