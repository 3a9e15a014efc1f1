import { type Part, patchPackage } from '@scriptorium/ooxml/package';
import { XML_DECLARATION } from '@scriptorium/ooxml/xml';
import type { RawSigner } from '@scriptorium/pki/keys';
import type { SignWarning } from '../sign-request.ts';
import { SignatureError } from '../signature-error.ts';
import { checkEarlier } from './earlier.ts';
import { partUri, writeManifest } from './manifest.ts';
import { type ReadSignature, readSignature, signedBytes } from './read-signature.ts';
import { keepStrays, minifyRelationships, openSignable, type Signable, strayNames } from './signable.ts';
import { addAuditPart, addSignaturePart, requireOneOrigin } from './signature-parts.ts';
import { writeSignature } from './signature-xml.ts';

/** Below this size, a signature that cannot be read again is a defect of this code. */
const MANIFEST_CHARS_SAFE = 1024 * 1024;
const NAMES_SHOWN_MAX = 5;
const NAME_CHARS_MAX = 100;

/** The signer: a `RawSigner`, or the known properties of a key held elsewhere. */
export type DocxSigner = Pick<RawSigner, 'certificates' | 'algorithm' | 'hash'>;

export interface PrepareOptions extends DocxStatement {
  /** The audit trail as JSON. It becomes a part of the document if the document is not signed yet. */
  auditTrail?: string;
  /** Sign even if an earlier signature is invalid. */
  allowBroken?: boolean;
}

/** The changes made to a document before signing. */
export interface Preparation {
  /** Whether the given audit trail is in it. */
  hasAuditTrail: boolean;
  warnings: SignWarning[];
}

/** A document that lacks only the value of its newest signature. */
export interface DocxDraft extends Preparation {
  signable: Signable;
  part: Part;
  signature: ReadSignature;
}

export function setSignatureXml(part: Part, xml: string): void {
  part.xml = xml;
  part.bytes = Buffer.from(XML_DECLARATION + xml);
  delete part.entry;
}

/** Uses fast compression, as the annotator does: a smaller file would cost more time than the network saves. */
export function writeSignable({ document }: Signable): Buffer {
  return patchPackage(document, { isCompressed: true, level: 3 });
}

function filesLeftOut(names: readonly string[]): SignWarning {
  const some = names.slice(0, NAMES_SHOWN_MAX).map((name) => partUri(name).slice(1, NAME_CHARS_MAX));
  const message = `The document does not refer to ${names.length} of its files, which were left out: ${some.join(', ')}.`;
  return { code: 'FILES_LEFT_OUT', message };
}

/** LibreOffice uses xmlsec, which up to 1.3.12 does not escape such a value in its relationships transform. */
const LIBREOFFICE_LINKS: SignWarning = {
  code: 'LIBREOFFICE_LINKS',
  message:
    'A link in the document has an ampersand, a quotation mark or a less-than sign in its address. LibreOffice, at least up to 25.2, reports every signature of such a document as broken, including those made by Office.',
};

function hasAwkwardLink({ document }: Signable): boolean {
  const { relationships, parts } = document;
  return [relationships, ...[...parts.values()].map((part) => part.relationships)].some(({ list }) =>
    list.some(({ target }) => /[&<"]/.test(target)),
  );
}

/** Leaves a signed document unchanged; removes stray files from an unsigned one. */
function arrange(signable: Signable, auditTrail: string | undefined): Preparation {
  if (signable.signatureParts.signatures.length > 0) {
    keepStrays(signable);
    return { hasAuditTrail: false, warnings: [] };
  }
  const strays = strayNames(signable);
  minifyRelationships(signable);
  const hasAuditTrail = auditTrail !== undefined && addAuditPart(signable.document, auditTrail);
  return { hasAuditTrail, warnings: strays.length === 0 ? [] : [filesLeftOut(strays)] };
}

/** Prepares the signature of a document, without its value. Throws as `prepareDocx` does. */
export async function draftDocx(
  bytes: Uint8Array,
  { certificates, algorithm, hash }: DocxSigner,
  options: PrepareOptions,
): Promise<DocxDraft> {
  const texts = shownTexts(options);
  const signable = await openSignable(bytes);
  requireOneOrigin(signable.signatureParts);
  if (options.allowBroken !== true) checkEarlier(signable);
  const preparation = arrange(signable, options.auditTrail);
  if (hasAwkwardLink(signable)) preparation.warnings.push(LIBREOFFICE_LINKS);
  const part = addSignaturePart(signable.document, signable.signatureParts);
  const { signingTime } = options;
  const statement = { certificates, algorithm, hash, signingTime, ...texts };
  const manifest = writeManifest(signable, hash);
  try {
    const xml = writeSignature(manifest, statement);
    setSignatureXml(part, xml);
    return { ...preparation, signable, part, signature: readSignature(xml) };
  } catch (cause) {
    if (manifest.length < MANIFEST_CHARS_SAFE) throw cause;
    throw new SignatureError(
      'DOCUMENT_TOO_COMPLEX',
      'The document has more parts and relationships than one signature can cover.',
      { cause },
    );
  }
}

export interface PreparedDocx extends Preparation {
  bytes: Buffer;
  /** Name of the part with the signature, without a leading slash. */
  partName: string;
  /** SignedInfo in its canonical form: the bytes that the key hashes and signs. */
  toBeSigned: Buffer;
}

/**
 * The first of two steps for a key held elsewhere: returns a document whose newest signature lacks its value, and the bytes to
 * sign. Throws SignatureError: what `openPackage` throws, and INVALID_FILE_FORMAT if a part cannot be covered. Also
 * VALIDATION_ERROR for a text that a signature cannot contain, and UNPROCESSABLE if an earlier signature is invalid.
 */
export async function prepareDocx(
  bytes: Uint8Array,
  signer: DocxSigner,
  options: PrepareOptions,
): Promise<PreparedDocx> {
  const { signable, part, signature, hasAuditTrail, warnings } = await draftDocx(bytes, signer, options);
  return {
    bytes: writeSignable(signable),
    partName: part.name,
    toBeSigned: signedBytes(signature),
    hasAuditTrail,
    warnings,
  };
}

/** What a signature states besides what it covers. */
interface DocxStatement {
  signingTime: Date;
  /** Shown as the purpose of signing; at most 255 characters. */
  reason?: string;
  /** The claimed signer. */
  identity?: { name: string };
}

/** Limits of MS-OFFCRYPTO §2.5.2.5. */
const COMMENTS_CHARS_MAX = 255;
const TEXT_CHARS_MAX = 100;
const NO_CHARACTER = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

function refuse(field: string, issue: string): SignatureError {
  return new SignatureError('VALIDATION_ERROR', 'The signature cannot contain a text of the request.', {
    details: [{ field, issue }],
  });
}

/**
 * Returns the texts that Office shows for a signature. A long name is cut because it is only a label: the certificate
 * identifies the signer. Throws SignatureError VALIDATION_ERROR.
 */
function shownTexts({ reason = '', identity }: DocxStatement): { comments: string; text: string } {
  const name = identity?.name ?? '';
  for (const [field, value] of [
    ['reason', reason],
    ['signer.name', name],
  ] as const)
    if (NO_CHARACTER.test(value)) throw refuse(field, 'Contains a character that XML does not allow.');
  if ([...reason].length > COMMENTS_CHARS_MAX)
    throw refuse('reason', `In a DOCX, at most ${COMMENTS_CHARS_MAX} characters.`);
  const characters = [...name];
  const isLong = characters.length > TEXT_CHARS_MAX;
  return { comments: reason, text: isLong ? `${characters.slice(0, TEXT_CHARS_MAX - 1).join('')}…` : name };
}
