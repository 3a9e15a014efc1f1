import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { testInWhole } from '@scriptorium/testing/extent';
import { canonicalize } from '../../src/opc/c14n.ts';
import { DSIG, indexIds, parseDom } from '../../src/opc/xml-dom.ts';
import { judgeByJdk } from './judges.ts';
import { TestKeys } from './keys.ts';

const folder = mkdtempSync(join(tmpdir(), 'c14n-'));
let certificate: string;

beforeAll(() => {
  certificate = new TestKeys(folder).signer('rsa').certificates[0].raw.toString('base64');
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const DIGEST = 'http://www.w3.org/2001/04/xmlenc#sha256';
const INCLUSIVE = 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315';
const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#';

interface Form {
  uri: string;
  algorithm: string;
  isExclusive: boolean;
  hasComments: boolean;
  inclusivePrefixes?: string[];
}

const FORMS: Form[] = [
  { uri: '#t', algorithm: INCLUSIVE, isExclusive: false, hasComments: false },
  {
    uri: "#xpointer(id('t'))",
    algorithm: `${INCLUSIVE}#WithComments`,
    isExclusive: false,
    hasComments: true,
  },
  { uri: '#t', algorithm: EXCLUSIVE, isExclusive: true, hasComments: false },
  { uri: "#xpointer(id('t'))", algorithm: `${EXCLUSIVE}WithComments`, isExclusive: true, hasComments: true },
  {
    uri: '#t',
    algorithm: EXCLUSIVE,
    isExclusive: true,
    hasComments: false,
    inclusivePrefixes: ['a', '', 'c'],
  },
  { uri: '#xpointer(/)', algorithm: `${INCLUSIVE}#WithComments`, isExclusive: false, hasComments: true },
  { uri: '#xpointer(/)', algorithm: EXCLUSIVE, isExclusive: true, hasComments: false },
];

/** Returns a Signature that uses each form; its digests and value are not valid. */
function signature(): string {
  const references = FORMS.map(({ uri, algorithm, inclusivePrefixes }) => {
    const list = inclusivePrefixes?.map((prefix) => prefix || '#default').join(' ');
    const prefixes =
      list === undefined ? '' : `<e:InclusiveNamespaces xmlns:e="${EXCLUSIVE}" PrefixList="${list}"/>`;
    return `<Reference URI="${uri}"><Transforms><Transform Algorithm="${algorithm}">${prefixes}</Transform></Transforms><DigestMethod Algorithm="${DIGEST}"/><DigestValue>AAAA</DigestValue></Reference>`;
  });
  return `<Signature xmlns="${DSIG}"><SignedInfo><CanonicalizationMethod Algorithm="${INCLUSIVE}"/><SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"/>${references.join('')}</SignedInfo><SignatureValue>${'A'.repeat(340)}AA==</SignatureValue><KeyInfo><X509Data><X509Certificate>${certificate}</X509Certificate></X509Data></KeyInfo></Signature>`;
}

/** Mulberry32: every run uses the same documents. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const TEXTS = [
  'x',
  ' \n\t',
  'ä€😀',
  'a\u0085b\u2028c',
  '&amp;&lt;&gt;&quot;&apos;',
  '&#13;&#10;&#9;&#x20;',
  'l\r\nm\rn',
  '"\'>',
  '&#x1F600;\ufffd',
];
const MARKUP = [
  '<!-- c &amp; <b> -->',
  '<?pi  some data ?>',
  '<?empty?>',
  '<![CDATA[<&]]]]><![CDATA[>\r\n]]>',
  '<!---->',
];
const LOCALS = ['n', 'm', 'ä', 'xml-ish', 'z.1', 'Z', '한'];

class RandomXml {
  readonly #random: (below: number) => number;

  constructor(seed: number) {
    this.#random = randomFrom(seed);
  }

  #pick<T>(from: readonly T[]): T {
    return from[this.#random(from.length)] as T;
  }

  document(): string {
    const before = this.#many(3, () => this.#pick(['<!-- before -->', '<?before it?>', '\n']));
    const outer = this.#element(3, {}, true);
    return `<?xml version="1.0" encoding="UTF-8"?>${before}${outer}${this.#pick(['', '\n<!-- behind -->', '<?behind?>'])}`;
  }

  #many(most: number, make: () => string): string {
    return Array.from({ length: this.#random(most + 1) }, make).join('');
  }

  /** `bound` are the prefixes in scope; `hasTarget` puts the requested element and the Signature inside. */
  #element(depth: number, outer: Readonly<Record<string, string>>, hasTarget: boolean, id = ''): string {
    const bound: Record<string, string> = { ...outer };
    const declarations: string[] = [];
    for (const prefix of ['', 'a', 'b', 'c'])
      if (this.#random(4) === 0) {
        const uri = this.#pick(
          prefix === ''
            ? ['', 'urn:a', 'urn:b', 'urn:é']
            : ['urn:a', 'urn:b', 'urn:&amp;"'.replace('"', '&quot;')],
        );
        bound[prefix] = uri;
        declarations.push(`xmlns${prefix && ':'}${prefix}="${uri}"`);
      }
    // Declares a prefix again unchanged: a form must not repeat it.
    if (this.#random(5) === 0 && bound.a)
      declarations.push(
        ...(declarations.some((d) => d.startsWith('xmlns:a')) ? [] : [`xmlns:a="${bound.a}"`]),
      );
    const prefixes = ['a', 'b', 'c'].filter((prefix) => bound[prefix] !== undefined);
    const attributes = new Map<string, string>();
    const seen = new Set<string>();
    const count = this.#random(4);
    for (let n = 0; n < count; n++) {
      const prefix = this.#pick(['', '', ...prefixes]);
      const local = this.#pick(LOCALS);
      const key = `${prefix === '' ? '' : bound[prefix]} ${local}`;
      if (seen.has(key)) continue;
      seen.add(key);
      attributes.set(
        `${prefix}${prefix && ':'}${local}`,
        this.#many(2, () => this.#pick(TEXTS)).replaceAll('"', '&quot;'),
      );
    }
    // Around the target always the same value: of two values, the JDK inherits the outer one (see below).
    if (this.#random(4) === 0) attributes.set('xml:lang', hasTarget ? 'de' : this.#pick(['de', '']));
    if (this.#random(6) === 0) attributes.set('xml:space', 'preserve');
    if (id !== '') attributes.set('Id', id);
    const prefix = this.#pick(['', ...prefixes]);
    const name = `${prefix}${prefix && ':'}${this.#pick(LOCALS)}`;
    const written = [...declarations, ...[...attributes].map(([key, value]) => `${key}="${value}"`)];
    const tag = [name, ...written.sort(() => this.#random(3) - 1)].join(this.#pick([' ', '\n ', '  ']));
    const inside = () =>
      this.#many(3, () =>
        this.#pick([
          () => this.#pick(TEXTS),
          () => this.#pick(MARKUP),
          () => (depth > 0 ? this.#element(depth - 1, bound, false) : ''),
        ])(),
      );
    if (!hasTarget) return this.#random(5) === 0 ? `<${tag}/>` : `<${tag}>${inside()}</${name} >`;
    const next =
      depth > 0
        ? this.#element(depth - 1, bound, true)
        : `${this.#element(3, bound, false, 't')}${inside()}${signature()}`;
    return `<${tag}>${inside()}${next}${inside()}</${name}>`;
  }
}

testInWhole('canonicalizes 250 documents and parts of them in each form like the JDK', async () => {
  const documents = Array.from({ length: 250 }, (_, seed) => new RandomXml(seed).document());
  const opinions = await judgeByJdk(documents);
  documents.forEach((xml, number) => {
    const document = parseDom(xml);
    const root = document.documentElement;
    const target = root === null ? undefined : indexIds(root).get('t');
    if (target === undefined) throw new Error('no target');
    FORMS.forEach((form, at) => {
      const written = canonicalize(form.uri === '#xpointer(/)' ? document : target, form);
      const expected = opinions[number]?.references[at]?.digested;
      if (written !== expected) expect({ xml, form, written }).toEqual({ xml, form, written: expected });
    });
  });
});

test('inherits the xml attribute of the nearest element, as libxml2 and the specification do', () => {
  // Canonical XML 1.0 §2.4: the nearest occurrences.
  const document = parseDom(
    '<r xml:lang=""><n xml:lang="de" xml:space="preserve"><t xml:space="default"/></n></r>',
  );
  const target = document.getElementsByTagName('t').item(0);
  expect(target && canonicalize(target)).toBe('<t xml:lang="de" xml:space="default"></t>');
});

test('sorts by code points', () => {
  expect(canonicalize(parseDom('<a \u{10300}="" \uf900=""/>'))).toBe('<a \uf900="" \u{10300}=""></a>');
});

test('normalizes the line ends of XML 1.0 but not those of XML 1.1', () => {
  expect(canonicalize(parseDom('<a b="\u2028">\u0085\u2028\r\n\r&#13;</a>'))).toBe(
    '<a b="\u2028">\u0085\u2028\n\n&#xD;</a>',
  );
});

test('rejects a document with too many prefixes', () => {
  const many = Array.from({ length: 101 }, (_, n) => `xmlns:p${n}="urn:p"`).join(' ');
  expect(() => parseDom(`<a ${many}/>`)).toThrow('too many prefixes');
});
