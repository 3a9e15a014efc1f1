import type { Part } from '@scriptorium/ooxml/package';
import { plainText } from '@scriptorium/pki/fault';
import type { Fault } from '../reasons.ts';
import type { Signable } from './signable.ts';
import { SIGNATURE_RELATIONSHIP, SIGNATURE_TYPE } from './signature-parts.ts';

/** From a signature to a part with the certificate of its signer (ECMA-376-2 §13.2.3). */
export const CERTIFICATE_RELATIONSHIP = `${SIGNATURE_RELATIONSHIP.slice(0, SIGNATURE_RELATIONSHIP.lastIndexOf('/'))}/certificate`;

/** A signature that a package has, by whatever way it was found. */
export interface ListedSignature {
  /** Name of its part. */
  id: string;
  /** Undefined where it is missing, or no reader could find it. */
  part: Part | undefined;
  /** What is wrong with how the package has it. */
  faults: Fault[];
}

const ID_CHARS_MAX = 200;

function invalid(message: string): Fault {
  return { code: 'XML_SIGNATURE_INVALID', message };
}

/** What concerns all signatures of a package. */
function faultsOfOrigins({ signatureParts: { isSound, origins } }: Signable): Fault[] {
  const faults: Fault[] = [];
  if (!isSound)
    faults.push(invalid('The package has more than one origin of signatures, or one that is missing.'));
  const lists = origins.flatMap(({ relationships }) => relationships.list);
  if (lists.some(({ type, isExternal }) => type !== SIGNATURE_RELATIONSHIP || isExternal))
    faults.push(invalid('The origin of the signatures leads to something else too.'));
  return faults;
}

function faultsOfPart({ contentType, relationships }: Part): Fault[] {
  const faults: Fault[] = [];
  if (contentType !== SIGNATURE_TYPE)
    faults.push({
      code: 'CONTENT_TYPE_UNKNOWN',
      message: 'The part has not the content type of a signature.',
    });
  if (relationships.list.some(({ type, isExternal }) => type !== CERTIFICATE_RELATIONSHIP || isExternal))
    faults.push(invalid('The signature leads to something else than a certificate.'));
  return faults;
}

/**
 * Lists the signatures of a package: those that its origins lead to, an older one first, and then each part that is
 * called a signature and is in no list, for some readers find these.
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
  const unlisted = invalid('The part is called a signature, and the package does not list it as one.');
  for (const [key, { name }] of document.archive) {
    if (listed.has(key) || signable.typeOf(name).toLowerCase() !== SIGNATURE_TYPE) continue;
    const part = document.parts.get(key);
    listed.set(key, { id: name, part, faults: [...common, unlisted, ...(part ? faultsOfPart(part) : [])] });
  }
  return [...listed.values()];
}
