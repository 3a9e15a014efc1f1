import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { distinguishedName, extension } from '@scriptorium/testing/pki/certificate';
import { explicit, ia5String, implicit, sequence } from '@scriptorium/testing/pki/der';
import { createPki, type Pki } from '@scriptorium/testing/pki/pki';
import { judgePath, read, signerBelow } from './paths.ts';

let pki: Pki;
beforeAll(async () => {
  pki = await createPki();
});
afterAll(() => pki.close());

const NAME_CONSTRAINTS = '2.5.29.30';
const ALTERNATIVE_NAMES = '2.5.29.17';
const email = (address: string) => implicit(1, ia5String(address));
const host = (name: string) => implicit(2, ia5String(name));
const directory = (name: Buffer) => explicit(4, name);
const subtrees = (number: 0 | 1, ...bases: Buffer[]) =>
  implicit(number, sequence(...bases.map((base) => sequence(base))));
const constraints = (...lists: Buffer[]) => extension(NAME_CONSTRAINTS, sequence(...lists), true);
const alternatives = (...names: Buffer[]) => extension(ALTERNATIVE_NAMES, sequence(...names));

const subject = distinguishedName('Charles Babbage');
test.each<[string, Buffer, Buffer[], boolean]>([
  [
    'in the domain that is permitted',
    constraints(subtrees(0, email('.example.com'))),
    [email('ada@mail.example.com')],
    true,
  ],
  [
    'at the host that is permitted',
    constraints(subtrees(0, email('Example.com'))),
    [email('ada@example.COM')],
    true,
  ],
  ['at another host', constraints(subtrees(0, email('example.com'))), [email('ada@mail.example.com')], false],
  [
    'at a host that only ends like it',
    constraints(subtrees(0, email('example.com'))),
    [email('ada@evilexample.com')],
    false,
  ],
  [
    'with the mailbox that is permitted',
    constraints(subtrees(0, email('ada@example.com'))),
    [email('ada@example.com')],
    true,
  ],
  [
    'with another mailbox',
    constraints(subtrees(0, email('ada@example.com'))),
    [email('eve@example.com')],
    false,
  ],
  [
    'in a domain that is excluded',
    constraints(subtrees(1, email('.example.com'))),
    [email('ada@mail.example.com')],
    false,
  ],
  [
    'in one of two that are permitted',
    constraints(subtrees(0, email('a.test'), email('b.test'))),
    [email('ada@b.test')],
    true,
  ],
  ['without a mail address where those are constrained', constraints(subtrees(0, email('a.test'))), [], true],
  ['of a directory that is permitted', constraints(subtrees(0, directory(subject))), [], true],
  ['of another directory', constraints(subtrees(0, directory(distinguishedName('Grace Hopper')))), [], false],
  [
    'of a directory that is excluded',
    constraints(subtrees(1, directory(distinguishedName('CHARLES  babbage')))),
    [],
    false,
  ],
  ['of all directories, where all are permitted', constraints(subtrees(0, directory(sequence()))), [], true],
  [
    'of a host where hosts are constrained, which is not compared',
    constraints(subtrees(0, host('a.test'))),
    [host('a.test')],
    false,
  ],
  ['of no host where hosts are constrained', constraints(subtrees(0, host('a.test'))), [], true],
  [
    'under constraints that cannot be read',
    extension(NAME_CONSTRAINTS, Buffer.of(0x05, 0x00), true),
    [],
    false,
  ],
])(
  'a signer %s is held to what an authority above permits',
  async (_what, constraint, names, isPermitted) => {
    const otherExtensions = names.length > 0 ? [alternatives(...names)] : [];
    const leaf = await signerBelow(pki, { otherExtensions: [constraint] }, { otherExtensions });
    expect(judgePath(pki, leaf).codes).toEqual(isPermitted ? [] : ['CHAIN_INVALID']);
    // An authority that is trusted by itself is held to its constraints too.
    const { issuer = pki.root } = leaf;
    expect(judgePath(pki, leaf, { anchors: read(issuer) }).codes).toEqual(
      isPermitted ? [] : ['CHAIN_INVALID'],
    );
  },
);
