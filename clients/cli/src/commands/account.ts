import type { UsageOptions } from '@scriptorium/client';
import { USAGE_OPTIONS } from '@scriptorium/client/options';
import { CliError, EXIT } from '../cli-error.ts';
import { type Call, type Command, JSON_OPTION, serviceOptions } from '../command.ts';
import { say, sayTable } from '../io.ts';

export const usage: Command = {
  name: 'usage',
  synopsis: '',
  summary: 'Show the counts of opened documents and of operations.',
  arguments: [0, 0],
  options: {
    ...serviceOptions(USAGE_OPTIONS),
    ...JSON_OPTION,
  },
  async run(call: Call) {
    const { io } = call;
    const { client } = await call.connection();
    const counts = await client.usage({ ...call.given(USAGE_OPTIONS), signal: io.signal } as UsageOptions);
    if (call.isJson) {
      io.stdout.write(`${JSON.stringify(counts)}\n`);
      return EXIT.ok;
    }
    const rows = counts.periods.map(({ start, group, documents, opens }) => [
      start,
      ...(counts.groupBy === null ? [] : [group ?? '']),
      String(documents),
      String(opens),
    ]);
    const head = ['from', ...(counts.groupBy === null ? [] : [counts.groupBy]), 'documents', 'opens'];
    sayTable(io.stdout, [head, ...rows]);
    say(io.stdout, `${counts.totals.documents} documents, ${counts.totals.opens} opens in all`);
    if (counts.truncated) say(io.stderr, 'The answer is not whole. Ask for a shorter time.');
    return EXIT.ok;
  },
};

export const keys: Command = {
  name: 'keys',
  synopsis: '[revoke ID]',
  summary: 'List the API keys of your address, or revoke one.',
  arguments: [0, 2],
  options: JSON_OPTION,
  async run(call: Call) {
    const { io } = call;
    const [action, id] = call.arguments;
    if (action !== undefined && (action !== 'revoke' || id === undefined))
      throw new CliError('USAGE', 'usage: scriptorium keys [revoke ID]');
    const { client } = await call.connection();
    if (id !== undefined) {
      await client.keys.revoke(id, { signal: io.signal });
      if (call.isJson) io.stdout.write(`${JSON.stringify({ revoked: id })}\n`);
      else say(io.stdout, `${id} is revoked.`);
      return EXIT.ok;
    }
    const list = await client.keys.list({ signal: io.signal });
    if (call.isJson) io.stdout.write(`${JSON.stringify(list)}\n`);
    else
      sayTable(io.stdout, [
        ['id', 'ends in', 'since', 'last use', ''],
        ...list.map(({ id: name, last4, createdAt, lastUsedOn, current }) => [
          name,
          last4,
          createdAt.slice(0, 10),
          lastUsedOn ?? 'never',
          current ? 'this key' : '',
        ]),
      ]);
    return EXIT.ok;
  },
};
