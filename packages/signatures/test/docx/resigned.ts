import { createHash } from 'node:crypto';
import type { RawSigner } from '@scriptorium/pki/keys';
import { zip } from '@scriptorium/testing/fixtures/zip';
import type { Element } from '@xmldom/xmldom';
import { toXmlValue } from '../../src/opc/algorithms.ts';
import { canonicalize } from '../../src/opc/c14n.ts';
import { transformRelationships } from '../../src/opc/relationship-transform.ts';
import { childrenOf, DSIG, onlyChild, parseDom } from '../../src/opc/xml-dom.ts';

export const SIGNATURE = '_xmlsignatures/sig1.xml';
export type Files = Map<string, Buffer>;

export function packed(files: Files): Buffer {
  return zip([...files].map(([name, data]) => ({ name, data })));
}

/** Replaces text in a file, which must contain it. */
export function replaceIn(files: Files, name: string, from: string | RegExp, to: string): void {
  const text = files.get(name)?.toString() ?? '';
  const changed = text.replace(from, () => to);
  if (changed === text) throw new Error(`${name} has no ${from}`);
  files.set(name, Buffer.from(changed));
}

function sha256(data: string): string {
  return createHash('sha256').update(data).digest('base64');
}

function byId(root: Element, id: string): Element | undefined {
  if (root.getAttribute('Id') === id) return root;
  for (const child of childrenOf(root)) {
    const found = byId(child, id);
    if (found !== undefined) return found;
  }
  return undefined;
}

function fill(reference: Element, digest: string): void {
  const value = onlyChild(reference, DSIG, 'DigestValue');
  if (value !== undefined) value.textContent = digest;
}

/** Changes the content of a signature with its signer's key: recomputes all digests and the value. */
export async function resign(
  files: Files,
  signer: RawSigner,
  change: (xml: string) => string,
): Promise<void> {
  const text = files.get(SIGNATURE)?.toString() ?? '';
  const changed = change(text);
  if (changed === text) throw new Error('nothing was changed');
  const root = parseDom(changed).documentElement;
  const signedInfo = root && onlyChild(root, DSIG, 'SignedInfo');
  const value = root && onlyChild(root, DSIG, 'SignatureValue');
  if (!root || !signedInfo || !value) throw new Error('no signature');
  for (const reference of childrenOf(signedInfo, DSIG, 'Reference')) {
    const target = byId(root, reference.getAttribute('URI')?.slice(1) ?? '');
    if (target !== undefined) fill(reference, sha256(canonicalize(target)));
  }
  const [{ publicKey }] = signer.certificates;
  const signed = await signer.sign(Buffer.from(canonicalize(signedInfo)));
  value.textContent = toXmlValue(signed, signer.algorithm, publicKey).toString('base64');
  files.set(SIGNATURE, Buffer.from(canonicalize(root)));
}

/** Removes references from the Manifest: parts by name, and relationships by part name and id. */
export function without(
  files: Files,
  signer: RawSigner,
  parts: readonly string[],
  relationships: Readonly<Record<string, readonly string[]>> = {},
): Promise<void> {
  return resign(files, signer, (xml) => {
    let left = xml;
    for (const name of parts)
      left = left.replace(new RegExp(`<Reference URI="/${name}\\?.*?</Reference>`), '');
    for (const [name, ids] of Object.entries(relationships))
      left = left.replace(new RegExp(`<Reference URI="/${name}\\?.*?</Reference>`), (reference) =>
        uncovered(reference, name, files.get(name)?.toString() ?? '', ids),
      );
    return left;
  });
}

function uncovered(reference: string, name: string, rels: string, ids: readonly string[]): string {
  const shorter = ids.reduce(
    (text, id) => text.replace(new RegExp(`<mdssi:RelationshipReference[^>]*SourceId="${id}"></[^>]*>`), ''),
    reference,
  );
  const covered = new Set([...shorter.matchAll(/SourceId="([^"]*)"/g)].map(([, id = '']) => id));
  const digest = sha256(transformRelationships(rels, { ids: covered, types: new Set() }, name));
  return shorter.replace(/<DigestValue>[^<]*/, () => `<DigestValue>${digest}`);
}
