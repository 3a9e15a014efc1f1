import type { AugmentOptions } from '@scriptorium/client';
import { AUGMENT_OPTIONS } from '@scriptorium/client/options';
import { type Call, type Command, JSON_OPTION, OUTPUT_OPTION, serviceOptions } from '../command.ts';
import { sourceOf, stemOf } from '../sources.ts';
import { handOver } from './hand-over.ts';

export const augment: Command = {
  name: 'augment',
  synopsis: 'FILE -o PATH',
  summary: `Raise the level of the signatures of a PDF or DOCX, or renew what protects them. The password of a PDF comes from
SCRIPTORIUM_PDF_PASSWORD.`,
  arguments: [1, 1],
  options: { ...OUTPUT_OPTION, ...serviceOptions(AUGMENT_OPTIONS), ...JSON_OPTION },
  async run(call: Call) {
    const { io } = call;
    const [name = ''] = call.arguments;
    const { client, limits } = await call.connection();
    const source = await sourceOf(io, name, (await limits()).sizes.documentBytesMax);
    const isPdf = (await source.file.slice(0, 5).text()) === '%PDF-';
    const password = io.env.SCRIPTORIUM_PDF_PASSWORD;
    const options: AugmentOptions = {
      ...call.given(AUGMENT_OPTIONS),
      ...(password && { password }),
      signal: io.signal,
    };
    const result = `${stemOf(name)}.${isPdf ? 'pdf' : 'docx'}`;
    return handOver(call, [source], result, () => client.augment(source.file, options));
  },
};
