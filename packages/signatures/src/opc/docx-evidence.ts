import { BOUNDS, boundPassed } from '@scriptorium/ooxml/bounds';
import { type Relationship, relationshipsName } from '@scriptorium/ooxml/package';
import { DOCX_TYPE } from '../document-type.ts';
import type { DocumentEvidence } from '../evidence.ts';
import { ContentCoverage, isCovered } from './content-coverage.ts';
import { type ListedSignature, listSignatures } from './listed-signatures.ts';
import { type PartFinding, SignedParts } from './reference-digest.ts';
import { openSignable, type Signable } from './signable.ts';
import { type PartsEvidence, signatureEvidence } from './signature-evidence.ts';
import { AUDIT_RELATIONSHIP } from './signature-parts.ts';
import { countMarkup } from './xml-dom.ts';

/**
 * Collects the evidence of the signatures of a Word document: validity, signer, and whether each one covers everything that
 * readers show (ECMA-376-2 §13). Problems of a signature are its faults. Throws SignatureError if the document cannot be
 * read: INVALID_FILE_FORMAT, DOCUMENT_ENCRYPTED, DOCUMENT_TOO_COMPLEX.
 */
export async function readDocxEvidence(bytes: Uint8Array): Promise<DocumentEvidence> {
  const signable = await openSignable(bytes);
  const listed = listSignatures(signable);
  checkBounds(listed);
  const content = {
    signable,
    parts: new SignedParts(signable),
    coverage: new ContentCoverage(signable),
  };
  const drawnUp = listed.map((signature) => signatureEvidence(signature, content));
  drawnUp.forEach(({ evidence }, number) => {
    for (const { id } of listed.slice(number + 1))
      evidence.modifications.push({
        revision: 1,
        level: 'permitted',
        object: id,
        path: `/${id}`,
        code: 'SIGNATURE_ADDED',
      });
  });
  const audit = findAudit(signable, drawnUp);
  return {
    contentType: DOCX_TYPE,
    signatures: drawnUp.map(({ evidence }) => evidence),
    validationData: { certificates: [], ocsps: [], crls: [] },
    ...(audit && { audit }),
  };
}

/** Parsing a signature into a tree takes far longer than reading its text. */
function checkBounds(listed: readonly ListedSignature[]): void {
  if (listed.length > BOUNDS.signaturesMax) throw boundPassed('signaturesMax');
  let [markup, chars] = [0, 0];
  for (const { part } of listed) {
    const xml = part?.xml ?? '';
    chars += xml.length;
    markup += countMarkup(xml);
  }
  if (chars > BOUNDS.signatureCharsMax) throw boundPassed('signatureCharsMax');
  if (markup > BOUNDS.signatureMarkupMax) throw boundPassed('signatureMarkupMax');
}

/** Returns the audit trail of the document, and whether each signature covers it and the relationship to it. */
function findAudit(
  { document }: Signable,
  signatures: readonly PartsEvidence[],
): DocumentEvidence['audit'] | undefined {
  const lead = document.relationships.list.find(({ type }) => type === AUDIT_RELATIONSHIP);
  const part = lead?.part === undefined ? undefined : document.parts.get(lead.part);
  if (lead === undefined || part === undefined) return undefined;
  const isSealed =
    signatures.length > 0 &&
    signatures.every(
      ({ evidence, findings }) => evidence.core?.signatureHolds === true && seals(findings, part.key, lead),
    );
  return { bytes: part.bytes, isSealed };
}

const ROOT_KEY = relationshipsName('');

function seals(findings: readonly PartFinding[], key: string, lead: Relationship): boolean {
  const held = findings.filter(({ outcome }) => outcome === 'holds');
  const ofRoot = held.find((finding) => finding.key === ROOT_KEY);
  return held.some((finding) => finding.key === key) && isCovered(lead, ofRoot);
}
