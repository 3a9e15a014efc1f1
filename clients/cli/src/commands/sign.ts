import type { SignOptions } from '@scriptorium/client';
import { SIGN_OPTIONS } from '@scriptorium/client/options';
import { CliError } from '../cli-error.ts';
import { type Call, type Command, JSON_OPTION, OUTPUT_OPTION, serviceOptions } from '../command.ts';
import { formatFor, readObject, sourceOf, stemOf } from '../sources.ts';
import { handOver } from './hand-over.ts';

const KEY_BYTES_MAX = 1024 * 1024;

export const sign: Command = {
  name: 'sign',
  synopsis: 'FILE --name NAME --email EMAIL -o PATH',
  summary: `Sign a PDF or DOCX. Passwords come from SCRIPTORIUM_PDF_PASSWORD and SCRIPTORIUM_P12_PASSWORD, because other users
of the machine can see arguments.`,
  arguments: [1, 1],
  options: {
    ...OUTPUT_OPTION,
    name: { type: 'string', value: 'NAME', help: 'Who signs' },
    email: { type: 'string', value: 'EMAIL', help: 'Their address' },
    ...serviceOptions(SIGN_OPTIONS),
    profile: { type: 'string', value: 'NAME', help: 'A key of the service, by default its own' },
    p12: { type: 'string', value: 'FILE', help: 'Your key (PKCS #12)' },
    request: { type: 'string', value: 'FILE', help: 'JSON with any other property of the request' },
    ...JSON_OPTION,
  },
  async run(call: Call) {
    const { io } = call;
    const [name = ''] = call.arguments;
    const { client, limits } = await call.connection();
    const { sizes, formats } = await limits();
    const source = await sourceOf(io, name, sizes.documentBytesMax);
    const isPdf = (await source.file.slice(0, 5).text()) === '%PDF-';
    const to = formatFor(call, formats.sign.to) ?? (isPdf ? 'pdf' : 'docx');
    if (isPdf && to === 'docx') throw new CliError('USAGE', `${name} is a PDF, and cannot become a DOCX.`);
    const query = !isPdf && to !== 'docx' ? { to } : {};
    const options = { ...(await requestOf(call)), ...query, signal: io.signal } as SignOptions;
    return handOver(call, [source], `${stemOf(name)}.${to}`, () => client.sign(source.file, options));
  },
};

/** Builds the request. With a signer, the trail has one event: that they submit now. */
async function requestOf(call: Call): Promise<Record<string, unknown>> {
  const { io } = call;
  const file = call.text('request');
  const request: Record<string, unknown> = file === undefined ? {} : await readObject(io, file);
  const [name, email] = [call.text('name'), call.text('email')];
  if ((name === undefined) !== (email === undefined))
    throw new CliError('USAGE', 'Give both --name and --email.');
  if (name !== undefined) {
    request.signer = { name, email };
    request.auditTrail ??= [{ type: 'submit', timestamp: new Date().toISOString() }];
  }
  const [profile, p12] = [call.text('profile'), call.text('p12')];
  if (profile !== undefined && p12 !== undefined)
    throw new CliError('USAGE', 'Give --profile or --p12, not both.');
  if (profile !== undefined) request.key = { profile };
  if (p12 !== undefined)
    request.key = {
      p12: { base64: await base64Of(io, p12), password: io.env.SCRIPTORIUM_P12_PASSWORD ?? '' },
    };
  const password = io.env.SCRIPTORIUM_PDF_PASSWORD;
  const { to: _, ...options } = call.given(SIGN_OPTIONS);
  return { ...request, ...options, ...(password && { password }) };
}

async function base64Of(io: Call['io'], name: string): Promise<string> {
  const { file } = await sourceOf(io, name, KEY_BYTES_MAX);
  return Buffer.from(await file.arrayBuffer()).toString('base64');
}
