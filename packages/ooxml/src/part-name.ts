/**
 * Whether a ZIP entry name is safe (ECMA-376-2 §6.2.2.2). It must be relative, with `/` between the segments, no
 * segment of dots alone, no control character, no backslash, no drive and no stream name. Letters beyond ASCII are
 * allowed, because producers write them.
 */
export function isSafeName(name: string): boolean {
  if (name.length === 0 || name.length > 1_000 || name.startsWith('/')) return false;
  for (let at = 0; at < name.length; at++) {
    const code = name.charCodeAt(at);
    if (code < 0x20 || code === 0x5c || code === 0x3a || (code >= 0x7f && code < 0xa0) || code === 0xfffd)
      return false;
  }
  const segments = (name.endsWith('/') ? name.slice(0, -1) : name).split('/');
  return segments.every((segment) => segment !== '' && !/^\.+$/.test(segment));
}

/**
 * Resolves a relationship's target against the folder of its source part (ECMA-376-2 §6.5.3.4). Returns a part name
 * without a leading slash, or undefined if the target is not a part name.
 */
export function resolveTarget(sourceName: string, target: string): string | undefined {
  let path = target.replaceAll('\\', '/');
  const fragment = path.indexOf('#');
  if (fragment !== -1) path = path.slice(0, fragment);
  const query = path.indexOf('?');
  if (query !== -1) path = path.slice(0, query);
  if (/^[a-z][a-z0-9+.-]*:/i.test(path) || path.startsWith('//')) return undefined;
  const segments = path.startsWith('/') ? [] : sourceName.split('/').slice(0, -1);
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  const name = segments.join('/');
  return isSafeName(name) ? name : undefined;
}

/**
 * Name of the relationships part of a part, or of the package if the name is empty (ECMA-376-2 §6.5.2.2).
 *
 * @example
 * relationshipsName('word/document.xml') // 'word/_rels/document.xml.rels'
 */
export function relationshipsName(partName: string): string {
  const slash = partName.lastIndexOf('/') + 1;
  return `${partName.slice(0, slash)}_rels/${partName.slice(slash)}.rels`;
}

/** A name without percent-encoding. Returns a malformed name unchanged. */
export function decodeName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Whether the package reserves a name: an entry of that name is not a part (ECMA-376-2 §6.5.2.2, §7.2.3). */
export function isReservedName(name: string): boolean {
  return /^(?:\[content_types\]\.xml|(?:.*\/)?_rels\/[^/]*\.rels)$/i.test(name);
}

/** The extension of a name, lower-case, without the dot. */
export function extensionOf(partName: string): string {
  const base = partName.slice(partName.lastIndexOf('/') + 1);
  const dot = base.lastIndexOf('.');
  return dot === -1 ? '' : base.slice(dot + 1).toLowerCase();
}
