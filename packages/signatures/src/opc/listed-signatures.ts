import type { Part } from '@scriptorium/ooxml/package';
import { plainText } from '@scriptorium/pki/fault';
import type { Fault } from '../reasons.ts';
import type { Signable } from './signable.ts';
import { SIGNATURE_RELATIONSHIP, SIGNATURE_TYPE } from './signature-parts.ts';

/** From a signature to a part with the signer's certificate (ECMA-376-2 §13.2.3). */
export const CERTIFICATE_RELATIONSHIP = `${SIGNATURE_RELATIONSHIP.slice(0, SIGNATURE_RELATIONSHIP.lastIndexOf('/'))}/certificate`;

/** A signature found in a package by any means. */
export interface ListedSignature {
  /** Name of its part. */
  id: string;
  /** Undefined if the part is missing or no reader could find it. */
  part: Part | undefined;
  /** Problems of how the package lists it. */
  faults: Fault[];
}

const ID_CHARS_MAX = 200;

function invalid(message: string): Fault {
  return { code: 'XML_SIGNATURE_INVALID', message };
}

/** Returns the faults that apply to all signatures of a package. */
function faultsOfOrigins({ signatureParts: { isSound, origins } }: Signable): Fault[] {
  const faults: Fault[] = [];
  if (!isSound)
    faults.push(
      invalid('The package has more than one digital signature origin, or its origin part is missing.'),
    );
  const lists = origins.flatMap(({ relationships }) => relationships.list);
  if (lists.some(({ type, isExternal }) => type !== SIGNATURE_RELATIONSHIP || isExternal))
    faults.push(invalid('The digital signature origin has relationships that do not lead to signatures.'));
  return faults;
}

function faultsOfPart({ contentType, relationships }: Part): Fault[] {
  const faults: Fault[] = [];
  if (contentType !== SIGNATURE_TYPE)
    faults.push({
      code: 'CONTENT_TYPE_UNKNOWN',
      message: 'The part does not have the content type of a signature.',
    });
  if (relationships.list.some(({ type, isExternal }) => type !== CERTIFICATE_RELATIONSHIP || isExternal))
    faults.push(invalid('The signature has a relationship that does not lead to a certificate.'));
  return faults;
}

/**
 * Lists the signatures of a package: first those that its origins refer to, older ones first. Then come unlisted parts with the
 * content type of a signature, because some readers find these.
 */
export function listSignatures(signable: Signable): ListedSignature[] {
  const { document, signatureParts } = signable;
  const common = faultsOfOrigins(signable);
  const listed = new Map<string, ListedSignature>();
  signatureParts.leads.forEach(({ target, part: key }, number) => {
    const part = signatureParts.signatures[number];
    const id = part?.name ?? plainText(target, ID_CHARS_MAX);
    const known = listed.get(key ?? id);
    if (known !== undefined) known.faults.push(invalid('The signature is listed twice.'));
    else if (part === undefined)
      listed.set(id, { id, part, faults: [...common, invalid('The part of the signature is missing.')] });
    else listed.set(part.key, { id, part, faults: [...common, ...faultsOfPart(part)] });
  });
  const unlisted = invalid(
    'The part has the content type of a signature, but the package does not list it as one.',
  );
  for (const [key, { name }] of document.archive) {
    if (listed.has(key) || signable.typeOf(name).toLowerCase() !== SIGNATURE_TYPE) continue;
    const part = document.parts.get(key);
    listed.set(key, { id: name, part, faults: [...common, unlisted, ...(part ? faultsOfPart(part) : [])] });
  }
  return [...listed.values()];
}
