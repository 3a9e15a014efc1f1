import type { SignatureReport, VerifyReport } from '@scriptorium/client';
import { VERIFY_OPTIONS } from '@scriptorium/client/options';
import { EXIT } from '../cli-error.ts';
import { type Call, type Command, JSON_OPTION, serviceOptions } from '../command.ts';
import { say } from '../io.ts';
import { sourceOf } from '../sources.ts';

const ANCHOR_BYTES_MAX = 1024 * 1024;

export const verify: Command = {
  name: 'verify',
  synopsis: 'FILE',
  summary: `Verify the signatures of a PDF or DOCX. The exit code is 4 unless the verdict is "valid". The password of a PDF
comes from SCRIPTORIUM_PDF_PASSWORD.`,
  arguments: [1, 1],
  options: {
    trust: {
      type: 'string',
      value: 'PROFILE',
      help: 'Trust anchors of the service; "service" is its own certificate, "eu" the EU trusted lists',
    },
    anchor: {
      type: 'string',
      multiple: true,
      value: 'FILE',
      help: 'A certificate that you trust (PEM); repeatable',
    },
    ...serviceOptions(VERIFY_OPTIONS),
    ...JSON_OPTION,
  },
  async run(call: Call) {
    const { io } = call;
    const [name = ''] = call.arguments;
    const { client, limits } = await call.connection();
    const source = await sourceOf(io, name, (await limits()).sizes.documentBytesMax);
    const anchors = await Promise.all(
      call.texts('anchor').map(async (path) => (await sourceOf(io, path, ANCHOR_BYTES_MAX)).file.text()),
    );
    const profile = call.text('trust');
    const password = io.env.SCRIPTORIUM_PDF_PASSWORD;
    const trust = { ...(anchors.length > 0 && { anchors }), ...(profile !== undefined && { profile }) };
    const report = await client.verify(source.file, {
      ...call.given(VERIFY_OPTIONS),
      ...(Object.keys(trust).length > 0 && { trust }),
      ...(password && { password }),
      signal: io.signal,
    });
    if (call.isJson) io.stdout.write(`${JSON.stringify(report)}\n`);
    else show(call, name, report);
    return report.verdict === 'valid' ? EXIT.ok : EXIT.notValid;
  },
};

function show({ io }: Call, name: string, report: VerifyReport): void {
  const { verdict, reason, integrity, trust, time, documentModified, signatures, auditTrail } = report;
  say(io.stdout, `${name}: ${verdict}${reason === undefined ? '' : ` (${reason})`}`);
  if (signatures.length === 0) return;
  say(io.stdout, `  integrity: ${integrity}, trust: ${trust}, time: ${time}, modified: ${documentModified}`);
  for (const signature of signatures) showSignature(io, signature);
  if (auditTrail.present)
    say(io.stdout, `  audit trail: ${auditTrail.chain}, ${auditTrail.sealed ? 'sealed' : 'not sealed'}`);
}

function showSignature({ stdout }: Call['io'], signature: SignatureReport): void {
  const { id, format, level, indication, subIndication, signer, reasons, qualification } = signature;
  const what = [format, level].filter(Boolean).join(' ');
  const result = [indication, subIndication].filter(Boolean).join(', ');
  say(stdout, `  ${id}: ${what}, by ${signer?.commonName ?? 'an unknown signer'}: ${result}`);
  if (qualification)
    say(stdout, `    ${qualification.result} (${qualification.kind}): ${qualification.reason}`);
  for (const { severity, code, message } of reasons) say(stdout, `    ${severity}: ${code}: ${message}`);
}
