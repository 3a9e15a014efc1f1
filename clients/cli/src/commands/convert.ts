import { type ConvertOptions, withDocuments } from '@scriptorium/client';
import { CONVERT_OPTIONS } from '@scriptorium/client/options';
import { CliError, EXIT, faultOf, sayFault } from '../cli-error.ts';
import { type Call, type Command, JSON_OPTION, OUTPUT_OPTION, serviceOptions } from '../command.ts';
import { say } from '../io.ts';
import { deliver, type OutputTarget, targetsOf } from '../outputs.ts';
import { Progress } from '../progress.ts';
import { formatFor, type SentFile, sourceOf, stemOf } from '../sources.ts';
import { startJob } from './jobs.ts';

const AT_ONCE_MAX = 4;

export const convert: Command = {
  name: 'convert',
  synopsis: 'FILE… [-o PATH]',
  summary: 'Convert documents, by default to PDF. The format of a file follows from its name.',
  arguments: [1, 10_000],
  options: {
    ...OUTPUT_OPTION,
    ...serviceOptions(CONVERT_OPTIONS),
    async: {
      type: 'boolean',
      help: 'Start a job for each document. `scriptorium jobs get` fetches its result',
    },
    ...JSON_OPTION,
  },
  async run(call: Call) {
    const { io } = call;
    const { limits } = await call.connection();
    const { sizes, formats } = await limits();
    const to = formatFor(call, formats.convert.to) ?? 'pdf';
    const options = { ...call.given(CONVERT_OPTIONS), to } as ConvertOptions;
    const names = call.arguments.map((name) => `${stemOf(name)}.${to}`);
    const sources = await Promise.all(
      call.arguments.map((name) => sourceOf(io, name, sizes.documentBytesMax)),
    );
    if (call.flag('async')) return convertLater(call, sources, options);
    const targets = await targetsOf(io, call.text('output'), names, sources);
    if (call.isJson && targets.includes('stdout'))
      throw new CliError('USAGE', '--json needs a file with -o.');
    const work = sources.map((source, at) => ({ source, target: targets[at] ?? 'stdout' }));
    return convertAll(call, work, options);
  },
};

/** Starts a job for each document. */
async function convertLater(
  call: Call,
  sources: readonly SentFile[],
  options: ConvertOptions,
): Promise<number> {
  if (call.text('output') !== undefined)
    throw new CliError('USAGE', '--async has no -o: `scriptorium jobs get ID -o PATH` fetches a result.');
  const { io, isJson } = call;
  for (const { name, file } of sources) {
    const from = options.from ?? /\.(\w+)$/.exec(file.name)?.[1]?.toLowerCase() ?? 'docx';
    const body = await withDocuments({ document: { path: name } }, async () => file);
    const { id } = await startJob(call, 'convert', body, { ...options, from });
    if (isJson) io.stdout.write(`${JSON.stringify({ input: name, job: id })}\n`);
    else say(io.stdout, `${id}  ${name}`);
  }
  return EXIT.ok;
}

interface Work {
  source: SentFile;
  target: OutputTarget;
}

/** Converts a few documents at a time. One that fails does not stop the others. Returns the first exit code that is not 0. */
async function convertAll(call: Call, work: readonly Work[], options: ConvertOptions): Promise<number> {
  const progress = work.length > 1 ? new Progress(call.io, work.length) : undefined;
  const rest = [...work];
  let [done, failed, exitCode] = [0, 0, EXIT.ok as number];
  const worker = async (): Promise<void> => {
    for (let next = rest.shift(); next !== undefined; next = rest.shift()) {
      try {
        await convertOne(call, next, options);
      } catch (error) {
        call.io.signal.throwIfAborted();
        const fault = faultOf(error);
        sayFault(call.io, fault, { isJson: call.isJson, subject: next.source.name });
        exitCode ||= fault.exitCode;
        failed++;
      }
      progress?.show(++done, failed);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE_MAX }, worker));
  progress?.end(done, failed);
  return exitCode;
}

async function convertOne(call: Call, { source, target }: Work, options: ConvertOptions): Promise<void> {
  const { client } = await call.connection();
  const { io } = call;
  const { bytes, pages, report, requestId } = await client.convert(source.file, {
    ...options,
    signal: io.signal,
  });
  await deliver(io, target, bytes);
  const output = target === 'stdout' ? '-' : target.path;
  if (call.isJson)
    io.stdout.write(`${JSON.stringify({ input: source.name, output, pages, report, requestId })}\n`);
  else if (report.warnings > 0)
    say(io.stderr, `${source.name}: ${report.warnings} warnings. --json lists them.`);
}
