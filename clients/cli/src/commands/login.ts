import { Scriptorium, ScriptoriumError } from '@scriptorium/client';
import { CliError, EXIT } from '../cli-error.ts';
import { type Call, type Command, JSON_OPTION } from '../command.ts';
import { askLine, say } from '../io.ts';
import { storeKey, urlFor } from '../settings.ts';

const ATTEMPTS_MAX = 3;

export const login: Command = {
  name: 'login',
  synopsis: 'EMAIL',
  summary: 'Have a code mailed, exchange it for an API key, and store the key for this user only.',
  arguments: [1, 1],
  options: {
    code: { type: 'string', value: 'CODE', help: 'The code of a mail that has come already' },
    ...JSON_OPTION,
  },
  async run(call: Call) {
    const { io } = call;
    const [email = ''] = call.arguments;
    const baseUrl = await urlFor(io.env);
    const apiKey = await keyFor(call, email, baseUrl);
    const file = await storeKey(io.env, { url: baseUrl, apiKey, email });
    if (call.isJson) io.stdout.write(`${JSON.stringify({ url: baseUrl, keyFile: file })}\n`);
    else say(io.stdout, `Logged in to ${baseUrl}. The key is in ${file}.`);
    return EXIT.ok;
  },
};

async function keyFor(call: Call, email: string, baseUrl: string): Promise<string> {
  const given = call.text('code');
  if (given !== undefined) return Scriptorium.verify(email, given, { baseUrl });
  const registration = await Scriptorium.register(email, { baseUrl });
  for (let attempt = 1; ; attempt++) {
    const code = await askLine(call.io, `The code of the mail to ${email}: `);
    if (code === undefined) throw new CliError('USAGE', 'No code came. Give it as --code CODE.');
    try {
      return await Scriptorium.verify(email, code, { baseUrl, registration });
    } catch (error) {
      const isWrong = error instanceof ScriptoriumError && error.code === 'EMAIL_CODE_INVALID';
      if (!isWrong || !call.io.stdin.isTTY || attempt === ATTEMPTS_MAX) throw error;
      say(call.io.stderr, error.message);
    }
  }
}
