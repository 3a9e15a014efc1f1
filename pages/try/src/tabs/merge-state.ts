import { computed, signal } from '@preact/signals';
import type { Made, MergeOptions } from '@scriptorium/client';
import { MERGE_OPTIONS, type Option } from '@scriptorium/client/options';
import { type Code, codeOf, literal, quoted, shellWord } from '../code/code.ts';
import { DOCX_TYPE, extensionOf, lastMade, sample } from '../documents.ts';
import { checkFile, Operation } from '../operation.ts';
import type { MadeFormat } from '../parts/controls.tsx';
import { prepareShow } from '../parts/preview.tsx';
import { localProblem } from '../problem.ts';
import { limits } from '../service.ts';
import { type Chosen, withOption } from './convert-options.ts';

/** A document of the list. Two may be the same file. */
export interface Entry {
  id: number;
  file: File;
}

export const entries = signal<Entry[]>([]);
export const to = signal<MadeFormat>('pdf');
/** Only what differs from the defaults. */
export const options = signal<Chosen>({});
export const result = signal<Made | null>(null);
export const operation = new Operation();

export const sources = computed(() => limits.value?.formats.merge.from ?? ['docx', 'pdf']);
export const shownOptions = MERGE_OPTIONS.filter(({ name }) => name !== 'to');
let count = 0;

export function addFile(file: File): void {
  const { mergedDocumentsMax = Number.POSITIVE_INFINITY } = limits.value?.counts ?? {};
  const refusal =
    entries.value.length < mergedDocumentsMax
      ? checkFile(file, sources.value)
      : localProblem(
          'VALIDATION_ERROR',
          `A merge has ${mergedDocumentsMax} documents at most.`,
          'Merge in steps.',
        );
  operation.problem.value = refusal;
  if (refusal === null) setEntries([...entries.value, { id: count++, file }]);
}

/** A result of other documents is none of these. */
export function setEntries(list: Entry[]): void {
  entries.value = list;
  result.value = null;
  // A PDF can only become part of a PDF.
  if (list.some(({ file }) => extensionOf(file.name) === 'pdf')) to.value = 'pdf';
}

export const hasPdf = computed(() => entries.value.some(({ file }) => extensionOf(file.name) === 'pdf'));

export async function addSamples(): Promise<void> {
  for (const name of ['sample.docx', 'sample-template.docx']) addFile(await sample(name));
}

export function setOption(option: Option, sent: string | boolean): void {
  options.value = withOption(options.value, option, sent);
}

export function merge(): void {
  const files = entries.value.map(({ file }) => file);
  if (files.length === 0) return;
  if (to.value === 'pdf') prepareShow();
  void operation.run(async (client, signal) => {
    const request = { ...options.value, to: to.value, signal } as MergeOptions & { to: MadeFormat };
    const made = await client.merge(files, request);
    const named = { ...made, fileName: `merged.${to.value}` };
    result.value = named;
    lastMade.value = { ...named, from: 'Merge' };
  });
}

export const code = computed((): Code => {
  const names = entries.value.map(({ file }) => file.name);
  const [fileName = 'sample.docx', ...more] =
    names.length > 0 ? names : ['sample.docx', 'sample-template.docx'];
  const output = `merged.${to.value}`;
  const flags = Object.entries(options.value).map(
    ([name, value]) => ` --${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} ${value}`,
  );
  const paths = [fileName, ...more].map((name) => `{ path: ${quoted(name)} }`).join(', ');
  return codeOf({
    path: '/v1/merge',
    query: { to: to.value },
    ...{ fileName, more, output, accept: to.value === 'pdf' ? 'application/pdf' : DOCX_TYPE },
    ...(Object.keys(options.value).length > 0 && { request: options.value, part: 'options' as const }),
    typescript: `const made = await client.merge([${paths}], ${literal({ to: to.value, ...options.value })});`,
    cli: `scriptorium merge ${[fileName, ...more].map(shellWord).join(' ')} --to ${to.value}${flags.join('')} -o ${output}`,
  });
});
