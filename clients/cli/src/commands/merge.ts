import type { MergeOptions } from '@scriptorium/client';
import { type Call, type Command, JSON_OPTION, OUTPUT_OPTION } from '../command.ts';
import { formatFor, type Source, sourceOf, tooLarge } from '../sources.ts';
import { handOver } from './hand-over.ts';

const OPTIONS = ['break', 'headers', 'styles', 'numbering', 'page-numbers'];

export const merge: Command = {
  name: 'merge',
  synopsis: 'FILE… -o PATH',
  summary: 'Combine documents into one, in their order.',
  arguments: [1, 1_000],
  options: {
    ...OUTPUT_OPTION,
    to: { type: 'string', value: 'FORMAT', help: 'docx or pdf; by default what the name after -o says' },
    break: { type: 'string', value: 'WHERE', help: 'page, odd, even or continuous' },
    headers: { type: 'string', value: 'WHICH', help: 'keep or first' },
    styles: { type: 'string', value: 'WHICH', help: 'keep or first' },
    numbering: { type: 'string', value: 'HOW', help: 'keep or continue' },
    'page-numbers': { type: 'string', value: 'HOW', help: 'keep, continue or restart' },
    ...JSON_OPTION,
  },
  async run(call: Call) {
    const { io } = call;
    const { client, limits } = await call.connection();
    const { sizes, formats } = await limits();
    const { documentBytesMax, mergedBytesMax } = sizes;
    const to = formatFor(call, formats.merge.to);
    const sources: Source[] = [];
    for (const name of call.arguments) sources.push(await sourceOf(io, name, documentBytesMax));
    const bytes = sources.reduce((total, { file }) => total + file.size, 0);
    if (bytes > mergedBytesMax) throw tooLarge('The documents together', mergedBytesMax, bytes);
    const options = { ...call.given(OPTIONS), ...(to && { to }), signal: io.signal } as MergeOptions;
    return handOver(call, sources, `merged.${to ?? 'docx'}`, () =>
      client.merge(
        sources.map(({ file }) => file),
        options,
      ),
    );
  },
};
