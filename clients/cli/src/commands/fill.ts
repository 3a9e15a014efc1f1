import type { FillOptions } from '@scriptorium/client';
import { FILL_OPTIONS } from '@scriptorium/client/options';
import { CliError } from '../cli-error.ts';
import { type Call, type Command, JSON_OPTION, OUTPUT_OPTION, serviceOptions } from '../command.ts';
import { dataNameOf, formatFor, readJson, sourceOf, stemOf } from '../sources.ts';
import { handOver } from './hand-over.ts';

export const fill: Command = {
  name: 'fill',
  synopsis: 'TEMPLATE -d DATA.json [-o PATH]',
  summary:
    'Fill the fields of a template. The data is an object by field, or a list of fields as in the API.',
  arguments: [1, 1],
  options: {
    data: { type: 'string', short: 'd', value: 'FILE', help: 'JSON; - for standard input' },
    ...OUTPUT_OPTION,
    ...serviceOptions(FILL_OPTIONS),
    ...JSON_OPTION,
  },
  async run(call: Call) {
    const { io } = call;
    const [name = ''] = call.arguments;
    const data = dataNameOf(call, name);
    const { client, limits } = await call.connection();
    const { sizes, formats } = await limits();
    const to = formatFor(call, formats.annotate.to);
    const query = { ...call.given(FILL_OPTIONS), ...(to && { to }), signal: io.signal };
    const source = await sourceOf(io, name, sizes.documentBytesMax);
    const fields = await readJson(io, data);
    if (typeof fields !== 'object' || fields === null)
      throw new CliError('DATA_INVALID', `${data} is neither an object nor a list.`);
    return handOver(call, [source], `${stemOf(name)}.${to ?? 'docx'}`, () =>
      client.fill(source.file, fields as Parameters<typeof client.fill>[1], query as FillOptions),
    );
  },
};
