import { missingCharacters } from '@scriptorium/fonts/text-line';
import { isSafeLink } from '@scriptorium/ooxml/package';
import { findActions } from '@scriptorium/pdf/actions';
import { countPages, openPdf } from '@scriptorium/pdf/read';
import { misplacedNumber } from '@scriptorium/pdf/revisions';
import { certificateOf, displayName } from '@scriptorium/pki/certificates';
import { cmsSizeMax, type SignedData, signedAttributes, signedData } from '@scriptorium/pki/cms';
import { checkValidity, describeToBeSigned, type RawSigner } from '@scriptorium/pki/keys';
import type { Timestamper } from '@scriptorium/pki/timestamps';
import { addAuditTrail } from '../audit/embed-pdf.ts';
import { PDF_TYPE } from '../document-type.ts';
import { hasValidationData } from '../levels.ts';
import { fillFields } from '../pades/fill-fields.ts';
import { digestOf } from '../pades/prepared.ts';
import { readPdf } from '../pades/read-pdf.ts';
import { completePdf, type PdfSigning, preparePdf, type SignedPdf, signPdf } from '../pades/sign-pdf.ts';
import type { Appearance, FieldLock, SignWarning } from '../sign-request.ts';
import { textNotShown } from '../text-warning.ts';
import { actionWarnings } from './action-warning.ts';
import { type AuditTrail, DETACHED, describeTrail, trailOf } from './audit-trail.ts';
import { augment, READERS_MAY_REFUSE } from './augment.ts';
import { type Signed, type SignRequest, type SignTools, timestamperFor } from './sign-tools.ts';
import { describeSignature } from './signature-summary.ts';
import { signerTexts } from './signer-texts.ts';

interface SigningContext {
  request: SignRequest;
  tools: SignTools;
  signer: RawSigner;
  timestamper: Timestamper | undefined;
  signingTime: Date;
}

/** A document with its audit trail, if there is one and the document can take it. */
interface Audited {
  bytes: Buffer;
  trail?: AuditTrail;
  isEmbedded: boolean;
  warnings: SignWarning[];
  /** Fields of the signer that got a text, which the signature locks. */
  filled?: readonly string[];
}

/** Signs a PDF for `sign`. All additions follow the original bytes. */
export async function signPdfDocument(request: SignRequest, tools: SignTools): Promise<Signed> {
  const { source, signing, callerKey } = request;
  const timestamper = timestamperFor(signing, tools);
  const signingTime = tools.now();
  const signer = await tools.openKey(signing.key, callerKey);
  checkValidity(signer, signingTime);
  const context = { request, tools, signer, timestamper, signingTime };
  const { key } = signing;
  if (key.kind !== 'external') return signAtOnce(context, await withWarnings(context));
  if (key.signature === undefined) return prepare(context, await withWarnings(context));
  const audited = { bytes: source, isEmbedded: false, warnings: [] };
  return finish(context, audited, (maker) => completePdf(source, maker, request.password));
}

async function withWarnings(context: SigningContext): Promise<Audited> {
  const audited = withTexts(context, await withTrail(context));
  const { appearance, certify, level } = context.request.signing;
  const missing = appearance ? missingCharacters(shownText(appearance, context)) : [];
  const unclear = [
    ...documentWarnings(context.request),
    ...(certify === 'noChanges' && hasValidationData(level) ? [READERS_MAY_REFUSE] : []),
    ...textNotShown('visible signature', missing),
  ];
  return { ...audited, warnings: [...audited.warnings, ...unclear] };
}

/** Fills the text fields of the signer whose signature field is named. */
function withTexts({ request, signer, signingTime }: SigningContext, audited: Audited): Audited {
  const { signing, password } = request;
  if (signing.field === undefined) return audited;
  const pdf = readPdf(audited.bytes, password);
  const name = signing.signer?.name ?? displayName(certificateOf(signer.certificates[0]));
  const texts = signerTexts(signing, { name, signingTime, document: pdf.document });
  const { doubted, ...filled } = fillFields(pdf, signing.field, texts);
  if (doubted.length === 0) return { ...audited, ...filled };
  const message = `The letters of these fields are in a font that earlier signatures do not know, so that a verification doubts them: ${doubted.join(', ')}.`;
  return {
    ...audited,
    ...filled,
    warnings: [...audited.warnings, { code: 'FIELD_FONT_NEW', message }],
  };
}

function documentWarnings({ source, password }: SignRequest): SignWarning[] {
  const opened = openPdf(source, password);
  const actions = findActions(opened.document, isSafeLink).map(({ detail }) => detail);
  return [...repairWarnings(opened), ...actionWarnings(actions)];
}

/** What `verify` doubts as soon as the signed document gets an update. */
function repairWarnings({ document, isSearched }: ReturnType<typeof openPdf>): SignWarning[] {
  const misplaced = isSearched ? undefined : misplacedNumber(document);
  if (misplaced === undefined) return [];
  const message = `Object ${misplaced} is not where the cross-reference data say: readers repair the document, each in its own way. Once it is changed after signing, a verification doubts the signature.`;
  return [{ code: 'STRUCTURE_REPAIRED', message }];
}

async function withTrail({
  request: { source, signing, password, images },
  tools,
}: SigningContext): Promise<Audited> {
  const pageCount = signing.auditTrail && countPages(openPdf(source, password).document);
  const trail = trailOf(source, signing, tools, pageCount);
  if (trail === undefined) return { bytes: source, isEmbedded: false, warnings: [] };
  const audited = await addAuditTrail(source, trail.record, {
    pages: signing.hasAuditPages,
    timeZone: signing.timeZone,
    images: (signing.signatures ?? [signing]).map(({ appearance }) => imageOf(appearance, images)),
    password,
  });
  if (audited === undefined)
    return { bytes: source, trail, isEmbedded: false, warnings: [...trail.warnings, DETACHED] };
  const warnings = [...trail.warnings, ...audited.warnings];
  return { bytes: audited.pdf, trail, isEmbedded: true, warnings };
}

function signAtOnce(context: SigningContext, audited: Audited): Promise<Signed> {
  return finish(context, audited, (maker) => signPdf(audited.bytes, pdfSigning(context, audited), maker));
}

/** The first of two steps; the second receives this document. */
async function prepare(context: SigningContext, audited: Audited): Promise<Signed> {
  const { signer } = context;
  const prepared = await preparePdf(audited.bytes, pdfSigning(context, audited));
  const attributes = signedAttributes({ digest: digestOf(prepared, signer.hash) }, signer);
  return answer(audited, prepared.bytes, { toBeSigned: describeToBeSigned(attributes, signer) });
}

function pdfSigning(context: SigningContext, { filled = [] }: Audited): PdfSigning {
  const { request, signer, timestamper, signingTime } = context;
  const { signing, password } = request;
  const { signer: identity, reason, location, certify, field } = signing;
  const lockFields = lockWith(signing.lockFields, filled);
  const appearance = signing.appearance && visible(signing.appearance, context);
  return {
    allowBrokenSignatures: signing.allowBrokenSignatures,
    reserve: cmsSizeMax(signer, timestamper !== undefined),
    seeded: { hash: signer.hash, level: signing.level, certificates: signer.certificates },
    signingTime,
    ...(identity && { name: identity.name }),
    ...(reason !== undefined && { reason }),
    ...(location !== undefined && { location }),
    ...(certify && { certify }),
    ...(lockFields && { lock: lockFields }),
    ...(field !== undefined && { field, fieldMustExist: request.fieldMustExist === true }),
    ...(appearance && { appearance }),
    ...(password !== undefined && { password }),
  };
}

/** Locks the fields that got a text as well. */
function lockWith(lock: FieldLock | undefined, filled: readonly string[]): FieldLock | undefined {
  if (filled.length === 0 || lock?.action === 'all') return lock;
  if (lock === undefined) return { action: 'include', fields: [...filled] };
  const { action, fields } = lock;
  if (action === 'include') return { action, fields: [...fields, ...filled] };
  return { action, fields: fields.filter((name) => !filled.includes(name)) };
}

/** The caller's text, or else the signer and the time. An empty text shows none. */
function shownText(
  { text }: Appearance,
  { request: { signing }, signer, signingTime }: SigningContext,
): string {
  const who = signing.signer?.name ?? displayName(certificateOf(signer.certificates[0]));
  const when = signingTime.toISOString().replace(/T(\d\d:\d\d).*/, ' $1 UTC');
  return text ?? `${who}\n${when}`;
}

function visible(appearance: Appearance, context: SigningContext): PdfSigning['appearance'] {
  const { image: _, ...look } = appearance;
  const image = imageOf(appearance, context.request.images);
  return { ...look, text: shownText(appearance, context), ...(image && { image }) };
}

function imageOf(appearance: Appearance | undefined, images: Buffer): Buffer | undefined {
  const { image } = appearance ?? {};
  return image && images.subarray(image.start, image.start + image.bytes);
}

type Maker = Parameters<typeof completePdf>[1];

/** Creates and embeds the signature, and augments it to its level. */
async function finish(
  context: SigningContext,
  audited: Audited,
  sign: (maker: Maker) => Promise<SignedPdf>,
): Promise<Signed> {
  const { signer, timestamper, signingTime, tools } = context;
  const { password, signing } = context.request;
  const { level } = signing;
  let made: SignedData | undefined;
  const signed = await sign({
    hash: signer.hash,
    async cms(digest) {
      made = await signedData({ digest, signer, timestamper });
      return made.cms;
    },
  });
  if (made === undefined) throw new Error('no signature was made');
  const { token, signatureValue, timestampTime } = made;
  const bytes = await augment(signed, { level, signer, token, timestamper, password, tools });
  const { fieldName, byteRange } = signed;
  const described = { signer, signatureValue, level, signingTime, timestampTime, fieldName, byteRange };
  return answer(audited, bytes, { signature: describeSignature(described) });
}

function answer(
  { trail, isEmbedded, warnings }: Audited,
  bytes: Buffer,
  made: Pick<Signed['reply'], 'signature' | 'toBeSigned'>,
): Signed {
  const auditTrail = trail && describeTrail(trail, bytes, isEmbedded);
  return { bytes, contentType: PDF_TYPE, reply: { ...made, ...(auditTrail && { auditTrail }), warnings } };
}
