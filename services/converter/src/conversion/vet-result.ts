import { OoxmlError } from '@scriptorium/ooxml/error';
import type { Dropped } from '@scriptorium/ooxml/package';
import { type RemovedAction, vetActions } from '@scriptorium/pdf/actions';
import { repairTexts } from '@scriptorium/pdf/conformance';
import { type ResultFormat, vetDocument, vettedLink, withoutPathsIn } from '@scriptorium/sanitizer/results';
import { EngineError } from '../engines/engine.ts';

export interface VettedResult {
  bytes: Buffer;
  removed: Dropped[];
}

const asDropped = ({ what, detail }: RemovedAction): Dropped => ({
  what: what === 'link' ? 'unsafe link' : 'active content',
  part: 'result',
  detail,
});

/**
 * Vets a result that an engine made, whatever made its content: what `docs/security/model.md` excludes from results is removed
 * and named. `folder` is the URL of the folder that the document was in. Throws `crashed` for what LibreOffice does not write, and OoxmlError DOCUMENT_TOO_COMPLEX.
 */
export async function vetResult(
  format: ResultFormat,
  bytes: Buffer,
  folder: string | undefined,
): Promise<VettedResult> {
  try {
    return await vetDocument(format, bytes, folder);
  } catch (cause) {
    if (cause instanceof OoxmlError && cause.code === 'DOCUMENT_TOO_COMPLEX') throw cause;
    throw new EngineError('crashed', 'the output cannot be read', { cause });
  }
}

/** What is counted of a removal: the address of a link or of content, a path of this service, or something that acts. */
export type RemovalKind = 'link' | 'path' | 'action';

const KINDS: Partial<Record<Dropped['what'], RemovalKind>> = {
  'unsafe link': 'link',
  'external link': 'link',
  'external relationship': 'link',
  'remote template': 'link',
  'data source': 'link',
  'path of the service': 'path',
  metadata: 'path',
};

export const kindOf = ({ what }: Dropped): RemovalKind => KINDS[what] ?? 'action';

/** The same of a PDF. A link to the folder of the document gets the address that the document has. Its XMP gets the texts of the information dictionary. */
export function vetPdf(bytes: Buffer, folder: string | undefined): VettedResult {
  try {
    const vetted = vetActions(bytes, (address) => vettedLink(address, folder));
    return {
      bytes: repairTexts(vetted.bytes),
      removed: vetted.removed.map((it) => withoutPathsIn(asDropped(it), folder)),
    };
  } catch (cause) {
    throw new EngineError('crashed', 'the links or the metadata of the output cannot be read', { cause });
  }
}
