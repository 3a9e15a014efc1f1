import { fileURLToPath } from 'node:url';
import { type Dropped, isSafeLink } from '@scriptorium/ooxml/package';

/** What the name of each folder of an engine begins with. A random part follows, which no document knows. */
const ENGINE_FOLDER = '/scriptorium-engine-';

/**
 * The address that a link of a result gets; undefined if it is not safe. `folder` is the URL of the folder of the document.
 *
 * @example
 * vettedLink('file:///job-1/annex.pdf', 'file:///job-1') // 'annex.pdf'
 * vettedLink('javascript:alert(1)', undefined) // undefined
 */
export function vettedLink(address: string, folder: string | undefined): string | undefined {
  const written = folder !== undefined && address.startsWith(folder) ? below(folder, address) : address;
  return isSafeLink(written) ? written : undefined;
}

/** The address as it was written in a document of this folder, if it is the folder or below. */
function below(folder: string, address: string): string {
  const path = address.slice(folder.length);
  if (path === '' || path === '/') return './';
  return path.startsWith('/') ? path.slice(1) : address;
}

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));

/**
 * The text without the paths of the folder that the document was in, and of those around it. What follows a path stays. Returns
 * the same text if it has none.
 */
export function withoutPaths(text: string, folder: string | undefined): string {
  if (folder === undefined || !text.includes(ENGINE_FOLDER)) return text;
  let left = text;
  for (let url = folder; url.includes(ENGINE_FOLDER); url = parentOf(url))
    for (const path of [url, fileURLToPath(url)]) left = left.replaceAll(`${path}/`, '').replaceAll(path, '');
  return left;
}

/** What was removed, named without these paths. */
export function withoutPathsIn(dropped: Dropped, folder: string | undefined): Dropped {
  const { detail } = dropped;
  return detail === undefined ? dropped : { ...dropped, detail: withoutPaths(detail, folder) };
}
