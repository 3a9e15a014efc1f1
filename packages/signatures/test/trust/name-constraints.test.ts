import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { explicit, ia5String, implicit, octetString, sequence } from '@scriptorium/testing/pki/der';
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
const uri = (text: string) => implicit(6, ia5String(text));
const ip = (...octets: number[]) => implicit(7, octetString(Buffer.from(octets)));
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
  [
    'at an excluded host with a full stop at its end',
    constraints(subtrees(1, email('example.com'))),
    [email('ada@example.com.')],
    false,
  ],
  [
    'with a mail address of two hosts',
    constraints(subtrees(0, email('example.com'))),
    [email('ada@evil.test@example.com')],
    false,
  ],
  [
    'with the excluded mailbox in quotes',
    constraints(subtrees(1, email('ada@example.com'))),
    [email('"ada"@example.com')],
    false,
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
  ['with the permitted host name', constraints(subtrees(0, host('A.test'))), [host('a.TEST')], true],
  ['with a host name below it', constraints(subtrees(0, host('a.test'))), [host('www.a.test')], true],
  [
    'with a host name that only ends with it',
    constraints(subtrees(0, host('a.test'))),
    [host('ba.test')],
    false,
  ],
  [
    'with an excluded host name with a full stop at its end',
    constraints(subtrees(1, host('a.test'))),
    [host('www.a.test.')],
    false,
  ],
  [
    'with an excluded host name that has a zero byte at its end',
    constraints(subtrees(1, host('a.test'))),
    [host('a.test\0')],
    false,
  ],
  [
    'with a host name that begins with a full stop',
    constraints(subtrees(0, host('a.test'))),
    [host('.a.test')],
    false,
  ],
  [
    'under constraints that are not a host name',
    constraints(subtrees(1, host('a.test.'))),
    [host('a.test')],
    false,
  ],
  ['with an excluded host name', constraints(subtrees(1, host('a.test'))), [host('www.a.test')], false],
  [
    'with a wildcard that covers an excluded host name',
    constraints(subtrees(1, host('www.a.test'))),
    [host('*.a.test')],
    false,
  ],
  [
    'with a wildcard that covers more than the permitted host name',
    constraints(subtrees(0, host('www.a.test'))),
    [host('*.a.test')],
    false,
  ],
  [
    'with a URI at the permitted host',
    constraints(subtrees(0, uri('a.test'))),
    [uri('https://A.test:8443/x')],
    true,
  ],
  [
    'with a URI in the permitted domain',
    constraints(subtrees(0, uri('.a.test'))),
    [uri('https://b.a.test')],
    true,
  ],
  [
    'with a URI at a host below it',
    constraints(subtrees(0, uri('a.test'))),
    [uri('https://b.a.test')],
    false,
  ],
  [
    'with a URI that only mentions it',
    constraints(subtrees(0, uri('a.test'))),
    [uri('https://b.test/a.test')],
    false,
  ],
  [
    'with a URI of a user at it',
    constraints(subtrees(0, uri('a.test'))),
    [uri('https://a.test@b.test/')],
    false,
  ],
  [
    'with a URI at an excluded host with a full stop at its end',
    constraints(subtrees(1, uri('a.test'))),
    [uri('https://a.test./')],
    false,
  ],
  ['with a URI without a host', constraints(subtrees(1, uri('a.test'))), [uri('urn:isbn:1')], false],
  ['with a URI at an address', constraints(subtrees(1, uri('a.test'))), [uri('https://10.1.2.3/')], false],
  [
    'in a permitted network',
    constraints(subtrees(0, ip(10, 1, 0, 0, 255, 255, 0, 0))),
    [ip(10, 1, 2, 3)],
    true,
  ],
  ['in another network', constraints(subtrees(0, ip(10, 1, 0, 0, 255, 255, 0, 0))), [ip(10, 2, 2, 3)], false],
  [
    'in an excluded network',
    constraints(subtrees(1, ip(10, 1, 0, 0, 255, 255, 0, 0))),
    [ip(10, 1, 2, 3)],
    false,
  ],
  ['with half an address', constraints(subtrees(1, ip(10, 1, 0, 0, 255, 255, 0, 0))), [ip(10, 1)], false],
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
