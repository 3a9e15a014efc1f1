import { computed, signal } from '@preact/signals';
import type { Converted, ConvertOptions } from '@scriptorium/client';
import type { Option } from '@scriptorium/client/options';
import { type Code, codeOf, literal, quoted, shellWord } from '../code/code.ts';
import { extensionOf, lastMade } from '../documents.ts';
import { checkFile, Operation } from '../operation.ts';
import { prepareShow } from '../parts/preview.tsx';
import { limits } from '../service.ts';
import { type Chosen, optionsFor, withOption } from './convert-options.ts';

export const file = signal<File | null>(null);
export const to = signal<NonNullable<ConvertOptions['to']>>('pdf');
/** Only what differs from the defaults. */
export const options = signal<Chosen>({});
export const result = signal<Converted | null>(null);
export const operation = new Operation();

export const sources = computed(() => limits.value?.formats.convert.from ?? ['docx']);
export const targets = computed(() => limits.value?.formats.convert.to ?? ['pdf']);

const fileName = computed(() => file.value?.name ?? 'sample.docx');
const from = computed(() => extensionOf(fileName.value) || 'docx');

/** A PDF is not converted, but other tabs take it. */
export const isPdf = computed(() => from.value === 'pdf');

/** The options of the form: those that suit the formats. */
export const shownOptions = computed(() => optionsFor(from.value, to.value));

const chosenOptions = computed((): Chosen => {
  const chosen = shownOptions.value.flatMap(({ name }) => {
    const value = options.value[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(chosen);
});

export function setOption(option: Option, sent: string | boolean): void {
  options.value = withOption(options.value, option, sent);
}

export function convertFile(chosen: File): void {
  file.value = chosen;
  result.value = null;
  convert();
}

export function convert(): void {
  const { value } = file;
  if (value === null) return;
  if (isPdf.value) {
    operation.stop();
    operation.problem.value = null;
    return;
  }
  const refusal = checkFile(value, sources.value);
  if (refusal !== null) {
    operation.stop();
    operation.problem.value = refusal;
    return;
  }
  if (to.value === 'pdf') prepareShow();
  void operation.run(async (client, signal) => {
    const request = { ...chosenOptions.value, to: to.value, signal } as ConvertOptions;
    const converted = await client.convert(value, request);
    result.value = converted;
    if (to.value === 'pdf' || to.value === 'docx') lastMade.value = { ...converted, from: 'Convert' };
  });
}

/** An option as the command writes it: `--update-fields all`, or `--no-tagged` for a switch that is turned off. */
function flagOf(name: string, value: string | number | boolean): string {
  const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  if (typeof value === 'boolean') return value ? ` --${flag}` : ` --no-${flag}`;
  return ` --${flag} ${shellWord(String(value))}`;
}

export const code = computed((): Code => {
  const { value: name } = fileName;
  const output = name.replace(/(\.\w+)?$/, `.${to.value}`);
  const query = { from: from.value, to: to.value, ...chosenOptions.value };
  const flags = Object.entries(chosenOptions.value).map(([option, value]) => flagOf(option, value));
  return codeOf({
    path: '/v1/convert',
    query,
    fileName: name,
    output,
    typescript: `const made = await client.convert({ path: ${quoted(name)} }, ${literal({ to: to.value, ...chosenOptions.value })});`,
    cli: `scriptorium convert ${shellWord(name)} --to ${to.value}${flags.join('')} -o ${shellWord(output)}`,
  });
});
