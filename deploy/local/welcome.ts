import { fillCommand } from '@scriptorium/gateway/pages/fill-command';
import { signCommand } from '@scriptorium/gateway/pages/sign-command';
import { verifyCommand } from '@scriptorium/gateway/pages/verify-command';

/** All addresses. `metrics` lists services in display order. */
export interface Addresses {
  baseUrl: string;
  telemetryUrl: string;
  mailUrl: string;
  metrics: readonly [service: string, url: string][];
  logs: string;
}

/** The terminal's text once everything runs. Each block works when copied, in any POSIX shell with curl. */
export function welcome({ baseUrl, telemetryUrl, mailUrl, metrics, logs }: Addresses): string {
  const email = 'you@example.com';
  return `
Scriptorium is up (started in ${process.uptime().toFixed(1)} s).

  Start page   ${baseUrl}/
  Try it       ${baseUrl}/try/     drop a document: no sign-up
  Reference    ${baseUrl}/docs
  Opens        ${telemetryUrl}/v1/collect     where the client library reports that a document was opened
  Mailbox      ${mailUrl}/     every mail lands here, none leaves this machine
  Logs         ${logs}/
  Metrics      ${metrics.map(([service, url]) => `${url}  ${service}`).join('\n               ')}

An API key, with the code read from the mailbox:

  curl -s '${baseUrl}/v1/auth/register?email=${email}'; echo; sleep 1
  CODE=$(curl -s '${mailUrl}/api/email?sort=desc' | grep -o 'code: [0-9]\\{6\\}' | head -n 1 | cut -c 7-)
  KEY=$(curl -s -H 'Accept: text/plain' "${baseUrl}/v1/auth/verify?email=${email}&code=$CODE"); echo "$KEY"

A PDF of the sample document, or of your own:

  curl -s -O ${baseUrl}/sample.docx
  curl -s -H "Authorization: Bearer $KEY" -F file=@sample.docx -o sample.pdf '${baseUrl}/v1/convert?from=docx&to=pdf'

A template, filled:

${fillCommand(baseUrl, '$KEY').replace(/^/gm, '  ')}

The sample as a signed PDF:

${signCommand(baseUrl, '$KEY').replace(/^/gm, '  ')}

Verify that signature:

${verifyCommand(baseUrl, '$KEY').replace(/^/gm, '  ')}

Ctrl-C stops everything.
`;
}
