import { expect, test } from '@jest/globals';
import type { Element } from '@xmldom/xmldom';
import { canonicalize } from '../../src/opc/c14n.ts';
import { addSignatureTimeStamp } from '../../src/opc/xades.ts';
import { childrenOf, DSIG, parseDom, XADES } from '../../src/opc/xml-dom.ts';

const below = (found: readonly Element[], namespace: string, ...names: string[]): Element[] =>
  names.reduce<Element[]>(
    (parents, name) => parents.flatMap((parent) => childrenOf(parent, namespace, name)),
    [...found],
  );

const rootOf = (xml: string): Element => {
  const { documentElement } = parseDom(xml);
  if (documentElement === null) throw new Error('no element');
  return documentElement;
};

// Each program has prefixes of its own, and some have none.
test.each([
  ['xmlns:ds', 'xmlns:xades'],
  ['xmlns', 'xmlns'],
  ['xmlns:ds', 'xmlns'],
  ['xmlns', 'xmlns:xd'],
])('a time-stamp is in the right namespaces where they are declared by %s and %s', (ofDsig, ofXades) => {
  const named = (declaration: string, name: string) =>
    declaration === 'xmlns' ? name : `${declaration.slice('xmlns:'.length)}:${name}`;
  const properties = `<${named(ofXades, 'QualifyingProperties')} ${ofXades}="${XADES}"/>`;
  const [signature, object] = [named(ofDsig, 'Signature'), named(ofDsig, 'Object')];
  const root = rootOf(
    `<${signature} ${ofDsig}="${DSIG}"><${object}>${properties}</${object}></${signature}>`,
  );
  addSignatureTimeStamp(root, Buffer.from('one'));
  addSignatureTimeStamp(root, Buffer.from('two'));
  const stamps = below(
    below([rootOf(canonicalize(root))], DSIG, 'Object'),
    XADES,
    ...['QualifyingProperties', 'UnsignedProperties', 'UnsignedSignatureProperties', 'SignatureTimeStamp'],
  );
  expect(stamps).toHaveLength(2);
  expect(stamps.map((stamp) => stamp.getAttribute('Id'))).toEqual([null, null]);
  expect(below(stamps, DSIG, 'CanonicalizationMethod')).toHaveLength(2);
  expect(below(stamps, XADES, 'EncapsulatedTimeStamp').map(({ textContent }) => textContent)).toEqual([
    Buffer.from('one').toString('base64'),
    Buffer.from('two').toString('base64'),
  ]);
});
