import { isSafeLink } from '@scriptorium/ooxml/package';
import { type RemovedAction, vetActions } from '@scriptorium/pdf/actions';
import { repairTexts } from '@scriptorium/pdf/conformance';
import { EngineError } from '../engines/engine.ts';

/**
 * Vets the links and actions of a PDF that an engine made, whatever made them. A link to the folder of the document gets the
 * address that the document has. Others than those to the web, a mailbox or a call are removed, and so are actions that start
 * something. Its XMP gets the texts of the information dictionary. `folder` is the URL of the folder that the document was in.
 * Throws `crashed` for a PDF that LibreOffice does not write.
 */
export function vetResult(
  bytes: Buffer,
  folder: string | undefined,
): { bytes: Buffer; removed: RemovedAction[] } {
  try {
    const vetted = vetActions(bytes, (address) => vettedLink(address, folder));
    return { ...vetted, bytes: repairTexts(vetted.bytes) };
  } catch (cause) {
    throw new EngineError('crashed', 'the links or the metadata of the output cannot be read', { cause });
  }
}

/** The address that a link of a result gets; undefined if it is not safe. */
export function vettedLink(address: string, folder: string | undefined): string | undefined {
  const written = folder === undefined ? address : relativeTo(folder, address);
  return isSafeLink(written) ? written : undefined;
}

/** The address as it was written in a document of this folder. One that is not near the folder stays. */
function relativeTo(folder: string, address: string): string {
  let up = '';
  for (let base = folder; base.length > 'file://'.length; base = base.slice(0, base.lastIndexOf('/'))) {
    if (address === base || address === `${base}/`) return up || './';
    if (address.startsWith(`${base}/`)) return up + address.slice(base.length + 1);
    up += '../';
  }
  return address;
}
