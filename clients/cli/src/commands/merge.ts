import type { MergeOptions } from '@scriptorium/client';
import { MERGE_OPTIONS } from '@scriptorium/client/options';
import { type Call, type Command, JSON_OPTION, OUTPUT_OPTION, serviceOptions } from '../command.ts';
import { formatFor, type SentFile, sourceOf, tooLarge } from '../sources.ts';
import { handOver } from './hand-over.ts';

export const merge: Command = {
  name: 'merge',
  synopsis: 'FILE… -o PATH',
  summary: 'Combine documents into one, in their order.',
  arguments: [1, 1_000],
  options: {
    ...OUTPUT_OPTION,
    ...serviceOptions(MERGE_OPTIONS),
    ...JSON_OPTION,
  },
  async run(call: Call) {
    const { io } = call;
    const { client, limits } = await call.connection();
    const { sizes, formats } = await limits();
    const { documentBytesMax, mergedBytesMax } = sizes;
    const to = formatFor(call, formats.merge.to);
    const sources: SentFile[] = [];
    for (const name of call.arguments) sources.push(await sourceOf(io, name, documentBytesMax));
    const bytes = sources.reduce((total, { file }) => total + file.size, 0);
    if (bytes > mergedBytesMax) throw tooLarge('The documents together', mergedBytesMax, bytes);
    const options = { ...call.given(MERGE_OPTIONS), ...(to && { to }), signal: io.signal } as MergeOptions;
    return handOver(call, sources, `merged.${to ?? 'docx'}`, () =>
      client.merge(
        sources.map(({ file }) => file),
        options,
      ),
    );
  },
};
