import { describe, expect, test } from '@jest/globals';
import { cpuMsSince } from '@scriptorium/testing/cpu-time';
import { Budget } from '../src/bounds.ts';
import { applyEdits } from '../src/xml-edits.ts';
import { type OpenTag, scanXml, type XmlVisitor } from '../src/xml-scan.ts';
import { decodeXml } from '../src/xml-text.ts';

const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const STRICT = 'http://purl.oclc.org/ooxml/wordprocessingml/main';

function scan(xml: string, ...visitors: XmlVisitor[]): void {
  scanXml(xml, visitors, { budget: new Budget(), part: 'word/document.xml' });
}

function eventsOf(xml: string): string[] {
  const words: string[] = [];
  const note = {
    open: ({ name, attributes }: OpenTag) =>
      words.push([`<${name}`, ...attributes.map((a) => `${a.name}=${a.value}`)].join(' ')),
    text: (text: string) => words.push(text),
    close: () => words.push('>'),
  };
  scan(xml, { '*': note });
  return words;
}

test('scanXml reports elements, attributes and text in document order, with references replaced', () => {
  expect(eventsOf('<a b="1 &lt; 2" c=\'"\'>x &amp; y<d/><![CDATA[<e>]]>&#x41;</a>')).toEqual([
    '<a b=1 < 2 c="',
    'x & y',
    '<d',
    '>',
    '<e>',
    'A',
    '>',
  ]);
});

test.each([
  ['the usual prefix', `<w:p xmlns:w="${WORD}" w:val="1"/>`],
  ['another prefix', `<x:p xmlns:x="${WORD}" x:val="1"/>`],
  ['the Strict name', `<x:p xmlns:x="${STRICT}" x:val="1"/>`],
  ['no prefix', `<p xmlns="${WORD}" xmlns:w="${WORD}" w:val="1"/>`],
  ['the namespace in an entity', `<x:p xmlns:x="${WORD.replace('h', '&#104;')}" x:val="1"/>`],
])('scanXml reports a canonical name with %s', (_name, xml) => {
  let found: string | undefined;
  scan(xml, {
    'w:p': {
      open: (tag) => {
        found = tag.attribute('w:val');
      },
    },
  });
  expect(found).toBe('1');
});

test('a prefix has the meaning of its innermost declaration, even if the tag text is the same', () => {
  const xml = `<a xmlns:w="${WORD}"><w:p/><b xmlns:w="urn:other"><w:p/></b><w:p/></a>`;
  const starts: number[] = [];
  scan(xml, { 'w:p': { open: ({ start }) => starts.push(start) } });
  expect(starts).toEqual([xml.indexOf('<w:p/>'), xml.lastIndexOf('<w:p/>')]);
});

test('the offsets of an element span exactly its text', () => {
  const xml = '<a>one<b x="1">two</b >three</a>';
  scan(xml, {
    b: {
      close: ({ start, openEnd, closeStart, end }) => {
        expect(xml.slice(start, end)).toBe('<b x="1">two</b >');
        expect(xml.slice(openEnd, closeStart)).toBe('two');
      },
      open: (tag) => {
        const [attribute] = tag.attributes;
        expect(xml.slice(tag.start + (attribute?.start ?? 0), tag.start + (attribute?.end ?? 0))).toBe(
          'x="1"',
        );
      },
    },
  });
  expect.assertions(3);
});

describe('scanXml refuses', () => {
  test.each([
    ['a DOCTYPE', '<!DOCTYPE a><a/>'],
    ['a DOCTYPE inside', '<a><!DOCTYPE a></a>'],
    ['an unknown entity', '<a>&b;</a>'],
    ['an unknown entity in an attribute', '<a b="&c;"/>'],
    ['a reference to a code point that is not a character', '<a>&#0;</a>'],
    ['a reference to a lone surrogate', '<a>&#xD800;</a>'],
    ['a lone &', '<a>b & c</a>'],
    ['two roots', '<a/><b/>'],
    ['no root', '<!-- nothing -->'],
    ['text before the root', 'x<a/>'],
    ['text after the root', '<a/>x'],
    ['an element without an end tag', '<a><b></a>'],
    ['an end tag without a start tag', '<a></a></b>'],
    ['an end tag of a longer name', '<a></ab>'],
    ['a tag cut off', '<a><b c="'],
    ['an attribute without quotes', '<a b=c/>'],
    ['an attribute without a value', '<a b/>'],
    ['attributes without a space between them', '<a b="1"c="2"/>'],
    ['the same attribute twice', '<a b="1" b="2"/>'],
    ['the same attribute under two prefixes', '<a xmlns:x="urn:u" xmlns:y="urn:u" x:b="1" y:b="2"/>'],
    ['a < in an attribute', '<a b="<"/>'],
    ['an undeclared prefix', '<x:a/>'],
    ['an undeclared prefix of an attribute', '<a x:b="1"/>'],
    ['an invalid name', '<1a/>'],
    ['two colons in a name', '<a:b:c xmlns:a="u"/>'],
    ['-- in a comment', '<a><!-- b -- c --></a>'],
    ['a comment without an end', '<a><!-- b </a>'],
    [']]> in text', '<a>]]></a>'],
    ['CDATA outside of the root', '<![CDATA[x]]><a/>'],
    ['a second declaration', '<a><?xml version="1.0"?></a>'],
  ])('%s', (_name, xml) => {
    expect(() => scan(xml)).toThrow();
    expect(() => scan(xml, { '*': { text: () => undefined } })).toThrow();
  });
});

describe('scanXml', () => {
  test.each([
    ['reads 256 levels', `${'<a>'.repeat(256)}${'</a>'.repeat(256)}`, undefined],
    ['refuses 257 levels', `${'<a>'.repeat(257)}${'</a>'.repeat(257)}`, '256 levels'],
    ['reads 512 attributes', `<a ${attributes(512)}/>`, undefined],
    ['refuses 513 attributes', `<a ${attributes(513)}/>`, '512 attributes'],
    ['reads 20 nested tables', tables(20), undefined],
    ['refuses 21 nested tables', tables(21), '20 levels of nested tables'],
    ['reads two million elements', `<a>${'<b/>'.repeat(1_999_999)}</a>`, undefined],
    [
      'refuses more than two million elements',
      `<a>${'<b/>'.repeat(2_000_000)}</a>`,
      '2,000,000 XML elements',
    ],
  ])('%s', (_name, xml, refusal) => {
    if (refusal === undefined) scan(xml);
    else expect(() => scan(xml)).toThrow(refusal);
  });

  test.each([
    ['unclosed tags', '<a '.repeat(500_000)],
    ['unclosed quotes', `<a b="${"'".repeat(500_000)}`],
    ['an attribute of a million characters', `<a b="${'x'.repeat(1_000_000)}"/>`],
    [
      'a namespace on every element',
      Array.from({ length: 50_000 }, (_, i) => `<a xmlns:p${i}="u${i}"/>`).join(''),
    ],
    [
      'a hundred thousand different tags',
      Array.from({ length: 100_000 }, (_, i) => `<a b="${i}"/>`).join(''),
    ],
    ['text full of references', `<a>${'&amp;'.repeat(300_000)}</a>`],
    ['text full of comments', `<a>${'<!---->'.repeat(300_000)}</a>`],
  ])('reads %s in linear time', (_name, xml) => {
    const startedAt = process.cpuUsage();
    try {
      scan(xml.startsWith('<a xmlns') || xml.startsWith('<a b="0"') ? `<r>${xml}</r>` : xml);
    } catch {
      // Only the time matters here.
    }
    expect(cpuMsSince(startedAt)).toBeLessThan(3_000);
  });
});

describe('decodeXml', () => {
  const declared = (encoding: string) => Buffer.from(`<?xml version="1.0" encoding="${encoding}"?><a/>`);
  test.each([
    ['UTF-8', Buffer.from('<a>é</a>')],
    ['UTF-8 with a byte order mark', Buffer.from('\ufeff<a>é</a>')],
    ['UTF-16 with a byte order mark', Buffer.from('\ufeff<a>é</a>', 'utf16le')],
    ['UTF-16 without one', Buffer.from('<a>é</a>', 'utf16le')],
    ['big-endian UTF-16', Buffer.from('\ufeff<a>é</a>', 'utf16le').swap16()],
  ])('reads %s', (_name, bytes) => {
    expect(decodeXml(bytes).xml).toBe('<a>é</a>');
  });

  test.each([
    ['bytes that are not UTF-8', Buffer.from('<a>\xff</a>', 'latin1')],
    ['a declaration of Latin-1', declared('ISO-8859-1')],
    ['a declaration of UTF-7', declared('UTF-7')],
    ['a declaration of UTF-16 in UTF-8', declared('UTF-16')],
    ['XML 1.1', Buffer.from('<?xml version="1.1"?><a/>')],
    ['a malformed declaration', Buffer.from('<?xml encoding="utf-8"?><a/>')],
    ['a character that XML does not allow', Buffer.from('<a>\u0001</a>')],
  ])('refuses %s', (_name, bytes) => {
    expect(() => decodeXml(bytes)).toThrow();
  });
});

describe('applyEdits', () => {
  test('accepts edits in any order', () => {
    const edits = [
      { start: 7, end: 12, text: 'there' },
      { start: 0, end: 0, text: '> ' },
      { start: 0, end: 5, text: 'Hi' },
    ];
    expect(applyEdits('Hello, world', edits)).toBe('> Hi, there');
  });

  test('ignores edits inside a removed range', () => {
    const edits = [
      { start: 2, end: 4, text: 'x' },
      { start: 1, end: 5, text: '' },
    ];
    expect(applyEdits('abcdef', edits)).toBe('af');
  });

  test('throws if edits overlap partially', () => {
    const edits = [
      { start: 0, end: 3, text: '' },
      { start: 2, end: 5, text: '' },
    ];
    expect(() => applyEdits('abcdef', edits)).toThrow('overlap');
  });
});

function attributes(count: number): string {
  return Array.from({ length: count }, (_, i) => `a${i}="${i}"`).join(' ');
}

function tables(depth: number): string {
  return `<w:b xmlns:w="${WORD}">${'<w:tbl>'.repeat(depth)}${'</w:tbl>'.repeat(depth)}</w:b>`;
}
