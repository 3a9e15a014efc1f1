import { elementsOf, ownText, type PageElement } from './tree.ts';

const OPTIONS = new Set(['option']);
const MARKED_MAX = 200;
const LABELS: Readonly<Record<string, string>> = { submit: 'Submit', reset: 'Reset' };
/** Kinds of inputs without a text. */
const WORDLESS = /^(?:hidden|range|color|file)$/;

/** The lines that a control of a form shows. Undefined for other elements. */
export function linesOfControl(element: PageElement): string[] | undefined {
  const { name, attributes } = element;
  if (name === 'textarea') {
    const text = ownText(element).replace(/\r\n?/g, '\n').replace(/^\n/, '');
    return (text === '' ? (attributes.placeholder ?? '') : text).split('\n');
  }
  if (name === 'select') return chosen(element);
  return name === 'input' ? [textOfInput(attributes)] : undefined;
}

function textOfInput({ type = 'text', value, ...attributes }: PageElement['attributes']): string {
  const kind = type.trim().toLowerCase();
  const isChecked = attributes.checked !== undefined;
  if (kind === 'checkbox') return isChecked ? '☑' : '☐';
  if (kind === 'radio') return isChecked ? '◉' : '○';
  if (kind === 'password') return '•'.repeat(Math.min(value?.length ?? 0, MARKED_MAX));
  if (kind === 'image') return attributes.alt ?? '';
  if (WORDLESS.test(kind)) return '';
  return (
    value || (Object.hasOwn(LABELS, kind) ? (value ?? LABELS[kind] ?? '') : (attributes.placeholder ?? ''))
  );
}

/** The selected options, or the one that a closed list shows. */
function chosen(select: PageElement): string[] {
  const options = elementsOf(select, OPTIONS);
  const selected = options.filter(({ attributes }) => attributes.selected !== undefined);
  const isOpen = select.attributes.multiple !== undefined || Number(select.attributes.size) > 1;
  const first = options.filter(({ attributes }) => attributes.disabled === undefined).slice(0, 1);
  const shown = isOpen ? selected : selected.length > 0 ? selected.slice(-1) : first;
  return shown.map((option) => option.attributes.label || ownText(option).trim());
}
