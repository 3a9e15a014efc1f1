import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { explicit, ia5String, implicit, sequence } from '@scriptorium/testing/pki/der';
import { distinguishedName, extension } from '@scriptorium/testing/pki/issue-certificate';
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
    'in the permitted domain',
    constraints(subtrees(0, email('.example.com'))),
    [email('ada@mail.example.com')],
    true,
  ],
  ['at the permitted host', constraints(subtrees(0, email('Example.com'))), [email('ada@example.COM')], true],
  ['at another host', constraints(subtrees(0, email('example.com'))), [email('ada@mail.example.com')], false],
  [
    'at a host that only ends with its name',
    constraints(subtrees(0, email('example.com'))),
    [email('ada@evilexample.com')],
    false,
  ],
  [
    'with the permitted mailbox',
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
    'in an excluded domain',
    constraints(subtrees(1, email('.example.com'))),
    [email('ada@mail.example.com')],
    false,
  ],
  [
    'in one of two permitted domains',
    constraints(subtrees(0, email('a.test'), email('b.test'))),
    [email('ada@b.test')],
    true,
  ],
  ['without a mail address under mail constraints', constraints(subtrees(0, email('a.test'))), [], true],
  ['in a permitted directory', constraints(subtrees(0, directory(subject))), [], true],
  ['in another directory', constraints(subtrees(0, directory(distinguishedName('Grace Hopper')))), [], false],
  [
    'in an excluded directory',
    constraints(subtrees(1, directory(distinguishedName('CHARLES  babbage')))),
    [],
    false,
  ],
  ['in any directory, if all are permitted', constraints(subtrees(0, directory(sequence()))), [], true],
  [
    'with a host name under host constraints, which are not supported',
    constraints(subtrees(0, host('a.test'))),
    [host('a.test')],
    false,
  ],
  ['without a host name under host constraints', constraints(subtrees(0, host('a.test'))), [], true],
  ['under unreadable constraints', extension(NAME_CONSTRAINTS, Buffer.of(0x05, 0x00), true), [], false],
])(
  'the name constraints of an authority apply to a signer %s',
  async (_what, constraint, names, isPermitted) => {
    const otherExtensions = names.length > 0 ? [alternatives(...names)] : [];
    const leaf = await signerBelow(pki, { otherExtensions: [constraint] }, { otherExtensions });
    expect(judgePath(pki, leaf).codes).toEqual(isPermitted ? [] : ['CHAIN_INVALID']);
    // Constraints also apply to an authority that is itself the trust anchor.
    const { issuer = pki.root } = leaf;
    expect(judgePath(pki, leaf, { anchors: read(issuer) }).codes).toEqual(
      isPermitted ? [] : ['CHAIN_INVALID'],
    );
  },
);
