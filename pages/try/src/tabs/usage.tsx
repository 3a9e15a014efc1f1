import { useEffect } from 'preact/hooks';
import { type Code, commandOf, literal, quoted } from '../code/code.ts';
import { isTrial, key } from '../key.ts';
import { SameInCode } from '../parts/code-block.tsx';
import { ProblemCard } from '../parts/problem-card.tsx';
import { baseUrl } from '../service.ts';
import { Left, YourKey } from './key-card.tsx';
import { KeyForm } from './key-form.tsx';
import { UsageChart } from './usage-chart.tsx';
import { keys, load, operation, revoke, usage, usageQuery } from './usage-state.ts';

export function UsageTab() {
  useEffect(load, []);
  return (
    <>
      <div class="columns even">
        <div class="side">
          <h1>Usage &amp; keys</h1>
          <YourKey />
          {(key.value === null || isTrial.value) && <KeyForm />}
          <Left />
        </div>
        <div class="report">
          <ProblemCard problem={operation.problem.value} onRetry={load} />
          {usage.value === null ? <NoUsage /> : <UsageChart usage={usage.value} />}
          <Keys />
        </div>
      </div>
      <SameInCode code={usageCode()} />
    </>
  );
}

/** It has no document, unlike the calls of the other tabs. */
function usageCode(): Code {
  const query = usageQuery();
  const url = `${baseUrl}/v1/usage?${new URLSearchParams(query)}`;
  return {
    curl: `curl -s -H "Authorization: Bearer $KEY" '${url}'`,
    typescript: [
      "import { Scriptorium } from '@scriptorium/client';",
      '',
      `const client = new Scriptorium({ baseUrl: ${quoted(baseUrl)}, apiKey: process.env.KEY });`,
      `const usage = await client.usage(${literal(query)});`,
      "console.log(usage.totals.opens, 'operations');",
    ].join('\n'),
    python: [
      'import os, urllib.request',
      '',
      `call = urllib.request.Request(${quoted(url)}, headers={"Authorization": "Bearer " + os.environ["KEY"]})`,
      'print(urllib.request.urlopen(call).read().decode())',
    ].join('\n'),
    cli: commandOf(
      `scriptorium usage --from ${query.from} --to ${query.to} --granularity day --group-by operation`,
    ),
    files: [],
  };
}

const NoUsage = () => (
  <div class="empty">
    {!operation.isRunning.value && (
      <>
        <p class="big">What you used, by day</p>
        <p>With your own key, operations are counted here.</p>
      </>
    )}
  </div>
);

function Keys() {
  if (keys.value === null) return null;
  return (
    <section class="card" aria-label="Keys of your address">
      <h2>Keys of your address</h2>
      <ul class="keys">
        {keys.value.map(({ id, last4, createdAt, lastUsedOn, expiresAt, current }) => (
          <li key={id}>
            <span>
              <code>…{last4}</code> {current && <strong>this one</strong>}
              <small>
                since {createdAt.slice(0, 10)}, last used {lastUsedOn ?? 'never'}
                {expiresAt !== null && `, ends ${expiresAt.slice(0, 10)}`}
              </small>
            </span>
            <button
              type="button"
              aria-label={`Revoke the key that ends in ${last4}`}
              onClick={() => revoke(id, current)}
            >
              Revoke
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
