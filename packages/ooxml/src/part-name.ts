/**
 * Whether a ZIP entry may be called so: relative, `/` between the segments, no segment of dots alone, no control
 * character, no backslash, drive or stream name (ECMA-376-2 §6.2.2.2; beyond ASCII, letters are let pass, for
 * producers write them).
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
 * The name of the part that a relationship's target means, without a leading slash: the target against its source
 * part's folder (ECMA-376-2 §6.5.3.4). Undefined where it means none.
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

/** Where the relationships of a part lie; of the package itself for the empty name (ECMA-376-2 §6.5.2.2). */
export function relationshipsName(partName: string): string {
  const slash = partName.lastIndexOf('/') + 1;
  return `${partName.slice(0, slash)}_rels/${partName.slice(slash)}.rels`;
}

/** A name without percent-encoding; as it is where that is malformed. */
export function decodeName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Whether a name is one that a package keeps for its own bookkeeping: what lies there is no part (ECMA-376-2 §6.5.2.2, §7.2.3). */
export function isReservedName(name: string): boolean {
  return /^(?:\[content_types\]\.xml|(?:.*\/)?_rels\/[^/]*\.rels)$/i.test(name);
}

/** The ending of a name, lower-case, without the dot. */
export function extensionOf(partName: string): string {
  const base = partName.slice(partName.lastIndexOf('/') + 1);
  const dot = base.lastIndexOf('.');
  return dot === -1 ? '' : base.slice(dot + 1).toLowerCase();
}
