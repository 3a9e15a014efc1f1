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

/** Below it, a signature that cannot be read again is our fault. */
const MANIFEST_CHARS_SAFE = 1024 * 1024;
const NAMES_SHOWN_MAX = 5;
const NAME_CHARS_MAX = 100;

/** Whose signature it will be: a `RawSigner`, or what is known of a key that others hold. */
export type DocxSigner = Pick<RawSigner, 'certificates' | 'algorithm' | 'hash'>;

export interface PrepareOptions extends DocxStatement {
  /** The record of how the document came to be signed, as JSON. It becomes a part of a document that nobody signed yet. */
  auditTrail?: string;
  /** Sign although an earlier signature does not hold. */
  allowBroken?: boolean;
}

/** What was done to a document before it is signed. */
export interface Preparation {
  /** Whether the record given is in it. */
  hasAuditTrail: boolean;
  warnings: SignWarning[];
}

/** A document that lacks nothing but the value of its newest signature. */
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

/** As the annotator writes: fast, for what a smaller file saves a network costs here several times. */
export function writeSignable({ document }: Signable): Buffer {
  return patchPackage(document, { isCompressed: true, level: 3 });
}

function filesLeftOut(names: readonly string[]): SignWarning {
  const some = names.slice(0, NAMES_SHOWN_MAX).map((name) => partUri(name).slice(1, NAME_CHARS_MAX));
  const message = `Nothing in the document leads to ${names.length} of its files, which were left out: ${some.join(', ')}.`;
  return { code: 'FILES_LEFT_OUT', message };
}

/** xmlsec up to 1.3.12, which LibreOffice uses, forgets to escape such a value in its relationships transform. */
const LIBREOFFICE_LINKS: SignWarning = {
  code: 'LIBREOFFICE_LINKS',
  message:
    'A link in the document has an ampersand, a quotation mark or a less-than sign in its address. LibreOffice, at least up to 25.2, takes every signature of such a document for broken, also those that Office makes.',
};

function hasAwkwardLink({ document }: Signable): boolean {
  const { relationships, parts } = document;
  return [relationships, ...[...parts.values()].map((part) => part.relationships)].some(({ list }) =>
    list.some(({ target }) => /[&<"]/.test(target)),
  );
}

/** Nothing of a signed document is touched; one that nobody signed yet loses what belongs to no document. */
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

/** Draws up the signature of a document, all but its value. Throws as `prepareDocx` does. */
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
  /** Of the part that holds the signature, without a leading slash. */
  partName: string;
  /** SignedInfo in its canonical form: what the key hashes and signs. */
  toBeSigned: Buffer;
}

/**
 * The first of two steps where others hold the key: a document whose newest signature lacks its value, and what is to
 * be signed. Throws SignatureError: what `openPackage` throws, INVALID_FILE_FORMAT where a part cannot be covered,
 * VALIDATION_ERROR for a text that no signature can hold, and UNPROCESSABLE where an earlier signature does not hold.
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

/** What a signature is to say beside what it covers. */
interface DocxStatement {
  signingTime: Date;
  /** Shown as the purpose of signing, at most 255 characters. */
  reason?: string;
  /** Who signs, as claimed. */
  identity?: { name: string };
}

/** Bounds of MS-OFFCRYPTO §2.5.2.5. */
const COMMENTS_CHARS_MAX = 255;
const TEXT_CHARS_MAX = 100;
const NO_CHARACTER = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

function refuse(field: string, issue: string): SignatureError {
  return new SignatureError('VALIDATION_ERROR', 'The signature cannot say what the request holds.', {
    details: [{ field, issue }],
  });
}

/**
 * The texts that Office shows of a signature. A long name is cut, for it is but a label: the certificate says who signed.
 * Throws SignatureError VALIDATION_ERROR.
 */
function shownTexts({ reason = '', identity }: DocxStatement): { comments: string; text: string } {
  const name = identity?.name ?? '';
  for (const [field, value] of [
    ['reason', reason],
    ['signer.name', name],
  ] as const)
    if (NO_CHARACTER.test(value)) throw refuse(field, 'Holds a character that XML does not have.');
  if ([...reason].length > COMMENTS_CHARS_MAX)
    throw refuse('reason', `In a DOCX, at most ${COMMENTS_CHARS_MAX} characters.`);
  const characters = [...name];
  const isLong = characters.length > TEXT_CHARS_MAX;
  return { comments: reason, text: isLong ? `${characters.slice(0, TEXT_CHARS_MAX - 1).join('')}…` : name };
}
