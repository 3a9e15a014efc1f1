import { type Limits, type Scriptorium, ScriptoriumError } from '@scriptorium/client';
import { CliError, EXIT, type Fault, faultOf } from '../cli-error.ts';
import { type Call, type Command, JSON_OPTION } from '../command.ts';
import { connectionOf } from '../connection.ts';
import { say } from '../io.ts';
import { type Settings, settingsOf, urlFor } from '../settings.ts';

interface Finding {
  check: string;
  isOk: boolean;
  detail: string;
  fault?: Fault;
}

export const doctor: Command = {
  name: 'doctor',
  synopsis: '',
  summary: 'Check the settings, the way to the service, its health and the key.',
  arguments: [0, 0],
  options: JSON_OPTION,
  async run(call: Call) {
    const findings: Finding[] = [];
    await examine(call, findings);
    const { io } = call;
    if (call.isJson) io.stdout.write(`${JSON.stringify(findings)}\n`);
    else
      for (const { check, isOk, detail, fault } of findings) {
        say(io.stdout, `${isOk ? 'ok  ' : 'FAIL'}  ${check}: ${detail}`);
        if (fault !== undefined) say(io.stdout, `      what to do: ${fault.whatToDo}`);
      }
    return findings.find(({ isOk }) => !isOk)?.fault?.exitCode ?? EXIT.ok;
  },
};

/** Each step needs the ones before it. */
async function examine({ io }: Call, findings: Finding[]): Promise<void> {
  const attempt = async <T>(
    check: string,
    run: () => Promise<[detail: string, value: T]>,
  ): Promise<T | undefined> => {
    try {
      const [detail, value] = await run();
      findings.push({ check, isOk: true, detail });
      return value;
    } catch (error) {
      const fault = faultOf(error);
      findings.push({ check, isOk: false, detail: `${fault.code}: ${fault.message}`, fault });
      return undefined;
    }
  };
  const settings = await attempt<Settings>('settings', async () => {
    const found = await settingsOf(io.env);
    return [`${found.url}, key from ${found.source}`, found];
  });
  const url = settings?.url ?? (await urlFor(io.env).catch(() => undefined));
  if (url === undefined) return;
  const { client, limits } = connectionOf(io, settings ?? { url, source: 'none' });
  const reached = await attempt<Limits>('service', async () => {
    const found = await limits();
    const megabytes = Math.floor(found.sizes.documentBytesMax / 1024 / 1024);
    return [`it answers, and takes files of up to ${megabytes} MiB`, found];
  });
  if (reached === undefined || settings === undefined) return;
  await attempt('health', async () => {
    const { status, checks } = await client.health({ signal: io.signal });
    const workers = ['converters', 'annotators', 'signers', 'verifiers'] as const;
    return [`${status}; ${workers.map((kind) => `${checks[kind]} ${kind}`).join(', ')}`, undefined];
  });
  if (settings.apiKey === undefined)
    await attempt('key', () => Promise.reject(new CliError('KEY_MISSING', 'The API key is missing.')));
  else await attempt('key', async () => [await stateOfKey(client, io.signal), undefined]);
}

async function stateOfKey(client: Scriptorium, signal: AbortSignal): Promise<string> {
  try {
    const own = (await client.keys.list({ signal })).find(({ current }) => current);
    return `it is active, and ends in ${own?.last4 ?? '?'}`;
  } catch (error) {
    // The operator may issue keys that are only for documents.
    if (error instanceof ScriptoriumError && error.code === 'FORBIDDEN')
      return 'it is active, for some operations';
    throw error;
  }
}
