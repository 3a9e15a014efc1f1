import { computed, signal } from '@preact/signals';
import type { Field, Filled, TemplateField, TemplateReport } from '@scriptorium/client';
import { type Code, codeOf, literal, quoted, shellWord } from '../code/code.ts';
import { DOCX_TYPE, lastMade } from '../documents.ts';
import { checkFile, Operation } from '../operation.ts';
import type { MadeFormat } from '../parts/controls.tsx';
import { prepareShow } from '../parts/preview.tsx';
import { localProblem } from '../problem.ts';
import type { Json } from './data-shape.ts';
import { namedFields } from './named-fields.ts';

/** A text, the rows of a table, or a picture as a data URI. */
export type FieldValue = string | boolean | string[][];

/** The time after the last key until the preview is made anew. */
const PAUSE_MS = 400;
export const TEMPLATE_FORMATS = ['docx'];

export const file = signal<File | null>(null);
export const report = signal<TemplateReport | null>(null);
export const values = signal<Record<string, FieldValue>>({});
export const to = signal<MadeFormat>('pdf');
/** With `data`, the visitor writes JSON for `generate` instead of a form. */
export const way = signal<'form' | 'data'>('form');
export const dataText = signal('{}');
export const data = computed(readData);
export const result = signal<Filled | null>(null);
export const operation = new Operation();

let pause: ReturnType<typeof setTimeout> | undefined;

export const fields = computed(() => namedFields(report.value?.fields ?? []));

/** Fields have no place for the items of a loop: such a template has a form for its data. */
export const hasRows = computed(() => {
  const { tags = [] } = report.value?.template ?? {};
  return tags.length > 0 && (tags.some(({ kind }) => kind !== 'value') || fields.value.length === 0);
});
const usesData = computed(() => way.value === 'data' || hasRows.value);

const SAMPLE_NAME = 'sample-template.docx';
const SAMPLE_VALUES: Record<string, FieldValue> = {
  customer_name: 'Ada Lovelace',
  order_number: '1842',
  items: [
    ['Difference engine', '1', '17,470'],
    ['Punched cards', '400', '32'],
  ],
  total: '17,502',
};

export function fillFile(chosen: File): void {
  const refusal = checkFile(chosen, TEMPLATE_FORMATS);
  file.value = chosen;
  report.value = null;
  result.value = null;
  values.value = {};
  if (refusal !== null) {
    operation.stop();
    operation.problem.value = refusal;
    return;
  }
  prepareShow();
  void operation
    .run(async (client, signal) => {
      report.value = await client.inspect(chosen, { signal });
      if (chosen.name === SAMPLE_NAME) values.value = SAMPLE_VALUES;
      way.value = 'form';
      dataText.value = JSON.stringify(report.value.template.example ?? {}, null, 2);
    })
    .then(() => report.value !== null && fill());
}

export function setValue(id: string, value: FieldValue): void {
  values.value = { ...values.value, [id]: value };
  fillSoon();
}

export function fillSoon(): void {
  clearTimeout(pause);
  pause = setTimeout(fill, PAUSE_MS);
}

/** Returns the value of a field as the service takes it; null if the visitor left it out. */
function fieldOf({ id, type }: TemplateField): Field | null {
  const value = values.value[id];
  if (value === undefined || value === '') return null;
  if (Array.isArray(value)) return { id, type: 'table', value };
  if (type === 'image' || type === 'signature') return { id, type, value: String(value) };
  return { id, type: 'text', value };
}

const filledFields = computed((): Field[] => fields.value.map(fieldOf).filter((field) => field !== null));

export function setData(value: Json): void {
  dataText.value = JSON.stringify(value, null, 2);
  fillSoon();
}

function readData(): Record<string, Json> | null {
  try {
    const read: unknown = JSON.parse(dataText.value);
    if (typeof read === 'object' && read !== null) return read as Record<string, Json>;
  } catch {
    // The visitor is still writing.
  }
  return null;
}

export function fill(): void {
  clearTimeout(pause);
  const { value: template } = file;
  if (template === null) return;
  const given = usesData.value ? data.value : {};
  if (given === null) {
    operation.stop();
    operation.problem.value = localProblem(
      'VALIDATION_ERROR',
      'The data is not JSON yet.',
      'Complete it: an object in braces, with names in double quotes.',
    );
    return;
  }
  void operation.run(async (client, signal) => {
    const options = { to: to.value, signal };
    const filled = usesData.value
      ? await client.generate(template, given, options)
      : await client.fill(template, filledFields.value, options);
    result.value = filled;
    lastMade.value = { ...filled, from: 'Fill' };
  });
}

export const code = computed((): Code => {
  const fileName = file.value?.name ?? SAMPLE_NAME;
  const output = `filled.${to.value}`;
  const accept = to.value === 'pdf' ? 'application/pdf' : DOCX_TYPE;
  const isData = usesData.value;
  const request = isData ? { data: data.value ?? {} } : { fields: filledFields.value };
  const isLong = JSON.stringify(request, null, 2).length > 1_500;
  const content = isLong
    ? `request.${isData ? 'data' : 'fields'}`
    : literal(isData ? request.data : request.fields);
  const call = `${isData ? 'generate' : 'fill'}({ path: ${quoted(fileName)} }, ${content}, { to: '${to.value}' })`;
  return codeOf({
    path: isData ? '/v1/generate' : '/v1/annotate',
    query: { to: to.value },
    ...{ fileName, request, accept, output },
    typescript: `const made = await client.${call};`,
    cli: cliOf(fileName, output, request),
  });
});

function cliOf(
  fileName: string,
  output: string,
  request: { fields?: Field[] | undefined; data?: object },
): string {
  const data = request.data ?? request.fields;
  return [
    `cat > data.json <<'END'`,
    JSON.stringify(data, null, 2),
    'END',
    `scriptorium ${request.data === undefined ? 'fill' : 'generate'} ${shellWord(fileName)} -d data.json --to ${to.value} -o ${output}`,
  ].join('\n');
}
