import { describe, expect, test } from '@jest/globals';
import { testInWhole } from '@scriptorium/testing/extent';
import { randomNumbers } from '@scriptorium/testing/random';
import { SaxesParser } from 'saxes';
import { Budget } from '../src/bounds.ts';
import { OoxmlError } from '../src/ooxml-error.ts';
import { scanXml } from '../src/xml-scan.ts';
import { decodeXml, XmlError } from '../src/xml-text.ts';

/** A character that occurs in no text. */
const MARK = '\u0001';
const END = `${MARK}</>`;

interface Reading {
  /** Elements and texts in document order. Undefined if the reader refuses. */
  events: string[] | undefined;
  why: string;
}

/** Readers differ in the white space of attributes. Ours keeps it, because nothing here depends on it. */
function tagOf(attributes: readonly { value: string }[]): string {
  return `${MARK}<${attributes.map(({ value }) => value.replace(/\r\n|\s/g, ' ')).join()}>`;
}

function readByUs(bytes: Buffer): Reading {
  const events: string[] = [];
  try {
    const { xml } = decodeXml(bytes);
    const element = {
      open: (tag: { attributes: readonly { value: string }[] }) => events.push(tagOf(tag.attributes)),
      text: (text: string) => events.push(text),
      close: () => events.push(END),
    };
    scanXml(xml, [{ '*': element }], { budget: new Budget(), part: 'a part' });
    return { events: merge(events), why: '' };
  } catch (error) {
    if (!(error instanceof XmlError || error instanceof OoxmlError)) throw error;
    return { events: undefined, why: error.message };
  }
}

function readBySaxes(bytes: Buffer): Reading {
  const events: string[] = [];
  const parser = new SaxesParser({ xmlns: true });
  let why = '';
  let depth = 0;
  parser.on('error', (error) => {
    why ||= error.message;
  });
  parser.on('opentag', ({ attributes }) => {
    depth++;
    events.push(tagOf(Object.values(attributes)));
  });
  const text = (content: string) => depth > 0 && events.push(content);
  parser.on('text', text);
  parser.on('cdata', text);
  parser.on('closetag', () => {
    depth--;
    events.push(END);
  });
  parser.on('doctype', () => {
    why ||= 'DOCTYPE';
  });
  let decoded: string;
  try {
    decoded = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return { events: undefined, why: 'not UTF-8' };
  }
  parser.write(decoded).close();
  return { events: why === '' ? merge(events) : undefined, why };
}

/** Joins adjacent pieces of text and normalizes line ends (XML 1.0 §2.11). */
function merge(events: readonly string[]): string[] {
  const merged: string[] = [];
  let text = '';
  for (const event of [...events, END]) {
    if (!event.startsWith(MARK)) {
      text += event.replace(/\r\n?/g, '\n');
      continue;
    }
    if (text !== '') merged.push(text);
    text = '';
    merged.push(event);
  }
  return merged;
}

/** What only our reader refuses, and why that refuses no good document. */
const STRICTER: readonly RegExp[] = [
  /DOCTYPE/,
  /more than .* (levels|attributes|elements)/,
  // An entity's name has at most twelve characters here; only five exist without a DOCTYPE.
  /an & that does not begin an entity/,
  /XML of version/,
  /malformed XML declaration|second XML declaration/,
  /declared as|bytes that are not|a character that XML does not have/,
  /too many namespace/,
];

const PIECES = [
  '<a>',
  '</a>',
  '<b x="1" y=\'2\'>',
  '</b>',
  '<c/>',
  '<p:d xmlns:p="u">',
  '</p:d>',
  '<p:e/>',
  'text',
  '&amp;',
  '&lt;',
  '&#65;',
  '&#x41;',
  '&#0;',
  '&bogus;',
  '&',
  '<',
  '>',
  ']]>',
  '<!-- note -->',
  '<!-- -- -->',
  '<![CDATA[ <raw> ]]>',
  '<?pi data?>',
  '<?xml version="1.0"?>',
  '<!DOCTYPE a>',
  ' ',
  '\n',
  '\r\n',
  '\t',
  '"',
  "'",
  '=',
  '/',
  ':',
  '\u00e9',
  '\u{1f600}',
  '\u0001',
  '\ufffe',
  'x="1" x="2"',
  '<f x="1" x="1"/>',
  '<g x="a<b"/>',
  '<h x=1/>',
  '<i x/>',
  '<j xmlns="v">',
  '</j>',
  '<k xmlns:q=""/>',
  '<xmlns:l/>',
  '<m xmlns:xml="u"/>',
  '<n xml:space="preserve"/>',
  '<-o/>',
  '<1/>',
  '<a:b:c/>',
  '<:d/>',
  '<e:/>',
  '</ a>',
  '<a >',
  '</a >',
  '< a>',
  '<a\n>',
];

function wellFormed(random: (below: number) => number, depth = 0): string {
  const name = ['a', 'b', 'c.d', 'e-f', 'p:g'][random(5)] ?? 'a';
  const attributes = ['', ' x="1"', " y='&lt;&#9;'", ' z="a&#10;b" p:x="2"', '\n v=""'][random(5)];
  const head = `<${name}${depth === 0 ? ' xmlns:p="u"' : ''}${attributes}`;
  if (depth > 4 || random(4) === 0) return `${head}/>`;
  const inside = Array.from({ length: random(4) }, () => {
    const leaf = ['text', ' ', '&amp;', '<!-- c -->', '<![CDATA[<x>]]>', '<?pi x?>', '\r\n', '\u{1f600}'];
    return random(2) === 0 ? wellFormed(random, depth + 1) : (leaf[random(leaf.length)] ?? '');
  });
  return `${head}>${inside.join('')}</${name}>`;
}

function mutated(xml: string, random: (below: number) => number): string {
  const at = random(xml.length + 1);
  const piece = PIECES[random(PIECES.length)] ?? '';
  const kind = random(3);
  if (kind === 0) return xml.slice(0, at) + piece + xml.slice(at);
  if (kind === 1) return xml.slice(0, at) + xml.slice(at + 1 + random(5));
  return xml.slice(0, at) + piece + xml.slice(at + piece.length);
}

describe('our XML reader, compared with saxes,', () => {
  test('reads the same in well-formed documents', () => {
    const random = randomNumbers(1);
    for (let round = 0; round < 3_000; round++) {
      const bytes = Buffer.from(wellFormed(random));
      const ours = readByUs(bytes);
      expect([bytes.toString(), ours.why]).toEqual([bytes.toString(), '']);
      expect(ours.events).toEqual(readBySaxes(bytes).events);
    }
  });

  testInWhole('refuses what saxes refuses, and more only for listed reasons', () => {
    const random = randomNumbers(2);
    let refused = 0;
    for (let round = 0; round < 20_000; round++) {
      let xml = random(4) === 0 ? '' : wellFormed(random);
      for (let times = 1 + random(3); times > 0; times--) xml = mutated(xml, random);
      const bytes = Buffer.from(xml);
      const [ours, theirs] = [readByUs(bytes), readBySaxes(bytes)];
      if (theirs.events === undefined) {
        refused++;
        expect([xml, theirs.why, ours.events]).toEqual([xml, theirs.why, undefined]);
      } else if (ours.events === undefined)
        expect([xml, STRICTER.some((reason) => reason.test(ours.why)) || ours.why]).toEqual([xml, true]);
      else expect([xml, ours.events]).toEqual([xml, theirs.events]);
    }
    expect(refused).toBeGreaterThan(5_000);
  });
});
