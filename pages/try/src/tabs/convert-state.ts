import { computed, signal } from '@preact/signals';
import type { Converted, ConvertOptions } from '@scriptorium/client';
import { type Code, codeOf, literal, quoted, shellWord } from '../code/code.ts';
import { extensionOf, lastMade } from '../documents.ts';
import { checkFile, Operation } from '../operation.ts';
import { prepareShow } from '../parts/preview.tsx';
import { limits } from '../service.ts';

type Chosen = Omit<ConvertOptions, 'signal'>;

export const file = signal<File | null>(null);
export const to = signal<NonNullable<ConvertOptions['to']>>('pdf');
/** Only what differs from the defaults. */
export const options = signal<Chosen>({});
export const result = signal<Converted | null>(null);
export const operation = new Operation();

export const sources = computed(() => limits.value?.formats.convert.from ?? ['docx']);
export const targets = computed(() => limits.value?.formats.convert.to ?? ['pdf']);

/** Options that only a PDF has. */
const PDF_OPTIONS = ['pdfa', 'pdfua', 'pages', 'comments'] as const;

const chosenOptions = computed((): Chosen => {
  const chosen = { ...options.value };
  if (to.value !== 'pdf') for (const name of PDF_OPTIONS) delete chosen[name];
  return chosen;
});

export function setOption(name: keyof Chosen, value: string | boolean): void {
  const { [name]: _, ...others } = options.value;
  options.value = (value === '' || value === false ? others : { ...others, [name]: value }) as Chosen;
}

export function convertFile(chosen: File): void {
  file.value = chosen;
  result.value = null;
  convert();
}

export function convert(): void {
  const { value } = file;
  if (value === null) return;
  const refusal = checkFile(value, sources.value);
  if (refusal !== null) {
    operation.stop();
    operation.problem.value = refusal;
    return;
  }
  if (to.value === 'pdf') prepareShow();
  void operation.run(async (client, signal) => {
    const converted = await client.convert(value, { ...chosenOptions.value, to: to.value, signal });
    result.value = converted;
    if (to.value === 'pdf' || to.value === 'docx') lastMade.value = { ...converted, from: 'Convert' };
  });
}

/** `updateFields` as the command writes it: `update-fields`. */
const flagOf = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

export const code = computed((): Code => {
  const fileName = file.value?.name ?? 'sample.docx';
  const output = fileName.replace(/(\.\w+)?$/, `.${to.value}`);
  const query = { from: extensionOf(fileName) || 'docx', to: to.value, ...chosenOptions.value };
  const flags = Object.entries(chosenOptions.value).map(([name, value]) =>
    value === true ? ` --${flagOf(name)}` : ` --${flagOf(name)} ${shellWord(String(value))}`,
  );
  return codeOf({
    path: '/v1/convert',
    query,
    fileName,
    output,
    typescript: `const made = await client.convert({ path: ${quoted(fileName)} }, ${literal({ to: to.value, ...chosenOptions.value })});`,
    cli: `scriptorium convert ${shellWord(fileName)} --to ${to.value}${flags.join('')} -o ${shellWord(output)}`,
  });
});
