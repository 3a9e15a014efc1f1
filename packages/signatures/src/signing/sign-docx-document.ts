import { checkValidity, describeToBeSigned, type RawSigner } from '@scriptorium/pki/keys';
import { actionsIn } from '@scriptorium/sanitizer/active-content';
import { auditJson } from '../audit/audit-json.ts';
import { DOCX_TYPE } from '../document-type.ts';
import { hasValidationData } from '../levels.ts';
import { type Preparation, prepareDocx } from '../opc/prepare-docx.ts';
import { checkDocxLevel, completeDocx, type SignedDocx, signDocx } from '../opc/sign-docx.ts';
import type { Signing, SignWarning } from '../sign-request.ts';
import { SignatureError } from '../signature-error.ts';
import { actionWarnings } from './action-warning.ts';
import { type AuditTrail, DETACHED, describeTrail, trailOf } from './audit-trail.ts';
import { type Signed, type SignRequest, type SignTools, timestamperFor } from './sign-tools.ts';
import { describeSignature } from './signature-summary.ts';

interface SigningContext {
  source: Buffer;
  signing: Signing;
  signer: RawSigner;
  level: Parameters<typeof checkDocxLevel>[0];
  trail: AuditTrail | undefined;
  signingTime: Date;
}

/** Signs a DOCX for `sign`. Throws VALIDATION_ERROR for options that only a PDF has. */
export async function signDocxDocument(
  { source, signing, callerKey, password }: SignRequest,
  tools: SignTools,
): Promise<Signed> {
  refusePdfOptions(signing, password);
  const timestamper = hasValidationData(signing.level) ? undefined : timestamperFor(signing, tools);
  const level = { level: signing.level, ...(timestamper && { timestamper }) };
  checkDocxLevel(level);
  const signingTime = tools.now();
  const signer = await tools.openKey(signing.key, callerKey);
  checkValidity(signer, signingTime);
  const { key } = signing;
  const context = { source, signing, signer, level, signingTime, trail: undefined };
  if (key.kind === 'external' && key.signature !== undefined)
    return signed(context, await completeDocx(source, Buffer.from(key.signature, 'base64'), level), []);
  const drawnUp = { ...context, trail: trailOf(source, signing, tools) };
  return key.kind === 'external' ? prepare(drawnUp) : signAtOnce(drawnUp);
}

function statementOf({ signing, signingTime, trail }: SigningContext) {
  const { reason, signer, allowBrokenSignatures } = signing;
  return {
    signingTime,
    allowBroken: allowBrokenSignatures,
    ...(reason !== undefined && { reason }),
    ...(signer && { identity: { name: signer.name } }),
    ...(trail && { auditTrail: auditJson(trail.record).toString() }),
  };
}

async function signAtOnce(context: SigningContext): Promise<Signed> {
  const { source, signer, level } = context;
  const made = await signDocx(source, { signer, ...level, ...statementOf(context) });
  return signed(context, made, await warningsOf(context, made), made.hasAuditTrail);
}

/** The first of two steps; the second receives this document. */
async function prepare(context: SigningContext): Promise<Signed> {
  const { source, signer, trail } = context;
  const prepared = await prepareDocx(source, signer, statementOf(context));
  const reply = {
    toBeSigned: describeToBeSigned(prepared.toBeSigned, signer),
    ...(trail && { auditTrail: describeTrail(trail, prepared.bytes, prepared.hasAuditTrail) }),
    warnings: await warningsOf(context, prepared),
  };
  return { bytes: prepared.bytes, contentType: DOCX_TYPE, reply };
}

function signed(
  { signing, signer, signingTime, trail }: SigningContext,
  { bytes, partName, signatureValue, timestampTime }: SignedDocx,
  warnings: SignWarning[],
  embedded = false,
): Signed {
  const { level } = signing;
  const signature = describeSignature({
    signer,
    signatureValue,
    level,
    signingTime,
    timestampTime,
    fieldName: partName,
  });
  const auditTrail = trail && describeTrail(trail, bytes, embedded);
  return { bytes, contentType: DOCX_TYPE, reply: { signature, ...(auditTrail && { auditTrail }), warnings } };
}

async function warningsOf(
  { source, trail }: SigningContext,
  { hasAuditTrail, warnings }: Pick<SignedDocx & Preparation, 'hasAuditTrail' | 'warnings'>,
): Promise<SignWarning[]> {
  const detached = trail !== undefined && !hasAuditTrail ? [DETACHED] : [];
  const active = actionWarnings(await actionsIn(source));
  return [...(trail?.warnings ?? []), ...detached, ...warnings, ...active];
}

/** Options that only a PDF signature can have. */
const PDF_OPTIONS = ['certify', 'lockFields', 'field', 'appearance', 'location'] as const;

/** Throws VALIDATION_ERROR with each option that a DOCX does not support. */
function refusePdfOptions(signing: Signing, password: string | undefined): void {
  const given: string[] = PDF_OPTIONS.filter((name) => signing[name] !== undefined);
  if (password !== undefined) given.push('password');
  const details = given.map((name) => ({
    field: name,
    issue: 'is an option for PDF documents; with `to=pdf` a DOCX becomes one',
  }));
  if (details.length > 0)
    throw new SignatureError('VALIDATION_ERROR', 'The document is a DOCX; some options are only for PDF.', {
      details,
    });
}
