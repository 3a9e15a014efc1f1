import { replaceIn } from '../../docx/resigned.ts';
import {
  type Attack,
  addPart,
  MAIN,
  MAIN_RELS,
  NO_RELATIONSHIPS,
  ORIGIN_RELATIONSHIP,
  R,
  relate,
  rename,
  TYPES,
  W,
  WORD,
} from './changes.ts';

/** Attacks on partial coverage and masked content, as published by others. */
export const CONTENT: Attack[] = [
  ['the text is changed', (files) => replaceIn(files, MAIN, 'Dear', 'Dead'), ['DIGEST_MISMATCH']],
  ['a style is changed', (files) => replaceIn(files, 'word/styles.xml', '/>', ' />'), ['DIGEST_MISMATCH']],
  [
    'an image is changed',
    (files) => files.set('word/media/image1.png', Buffer.from('other')),
    ['DIGEST_MISMATCH'],
  ],
  ['a part is removed', (files) => files.delete('word/styles.xml'), ['PART_MISSING']],
  [
    'properties that were signed are changed',
    (files) => replaceIn(files, 'docProps/core.xml', 'Letter', 'Order'),
    ['DIGEST_MISMATCH'],
  ],
  [
    'footnotes are added, and a relationship to them',
    (files) => {
      addPart(files, 'word/footnotes.xml', `<w:footnotes xmlns:w="${W}"/>`, `${WORD}.footnotes+xml`);
      relate(files, MAIN_RELS, 'rId77', `${R}/footnotes`, 'footnotes.xml');
    },
    ['PART_UNSIGNED', 'RELATIONSHIP_UNSIGNED'],
  ],
  [
    'an unreferenced part is added',
    (files) => addPart(files, 'word/numbering.xml', '<a/>', `${WORD}.numbering+xml`),
    ['PART_UNSIGNED'],
  ],
  [
    'a relationship leads to a signed part of another role',
    (files) => relate(files, MAIN_RELS, 'rId77', `${R}/footer`, 'header1.xml'),
    ['RELATIONSHIP_UNSIGNED'],
  ],
  [
    'a link gets another target under the same id',
    (files) => replaceIn(files, MAIN_RELS, 'example.org', 'example.com'),
    ['DIGEST_MISMATCH'],
  ],
  [
    'an internal relationship becomes an external one',
    (files) =>
      replaceIn(files, MAIN_RELS, 'Target="header1.xml"', 'Target="header1.xml" TargetMode="External"'),
    ['DIGEST_MISMATCH'],
  ],
  [
    'an external template is attached',
    (files) => {
      addPart(files, 'word/settings.xml', `<w:settings xmlns:w="${W}"/>`, `${WORD}.settings+xml`);
      relate(files, MAIN_RELS, 'rId78', `${R}/settings`, 'settings.xml');
      addPart(files, 'word/_rels/settings.xml.rels', NO_RELATIONSHIPS);
      relate(
        files,
        'word/_rels/settings.xml.rels',
        'rId1',
        `${R}/attachedTemplate`,
        'https://example.com/evil.dotx',
        'External',
      );
    },
    ['PART_UNSIGNED', 'RELATIONSHIP_UNSIGNED'],
  ],
  [
    'a part without relationships gets some',
    (files) => {
      addPart(files, 'word/_rels/styles.xml.rels', NO_RELATIONSHIPS);
      relate(
        files,
        'word/_rels/styles.xml.rels',
        'rId1',
        `${R}/image`,
        'https://example.com/a.png',
        'External',
      );
    },
    ['RELATIONSHIP_UNSIGNED'],
  ],
  [
    'another text is put before the signed one as main part',
    (files) => {
      addPart(
        files,
        'word/other.xml',
        files.get(MAIN)?.toString().replace('Dear', 'Dead') ?? '',
        `${WORD}.document.main+xml`,
      );
      replaceIn(
        files,
        '_rels/.rels',
        /(<Relationships[^>]*>)/,
        `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId0" Type="${R}/officeDocument" Target="word/other.xml"/>`,
      );
    },
    ['PART_UNSIGNED', 'RELATIONSHIP_UNSIGNED'],
  ],
  [
    'a second main part follows under the name of the Strict relationship',
    (files) => {
      addPart(files, 'word/other.xml', files.get(MAIN)?.toString() ?? '', `${WORD}.document.main+xml`);
      relate(
        files,
        '_rels/.rels',
        'rId0',
        'http://purl.oclc.org/ooxml/officeDocument/relationships/officeDocument',
        'word/other.xml',
      );
    },
    ['PART_UNSIGNED', 'RELATIONSHIP_UNSIGNED'],
  ],
  [
    'a chunk of HTML is added',
    (files) => {
      addPart(files, 'word/chunk.html', '<p>evil</p>', 'text/html');
      relate(files, MAIN_RELS, 'chunk', `${R}/aFChunk`, 'chunk.html');
    },
    ['PART_UNSIGNED', 'RELATIONSHIP_UNSIGNED'],
  ],
  [
    'a part gets another content type',
    (files) => replaceIn(files, TYPES, `${WORD}.styles+xml`, 'application/xml'),
    ['CONTENT_TYPE_UNKNOWN'],
  ],
  [
    'the document becomes a template with macros',
    (files) =>
      replaceIn(
        files,
        TYPES,
        `${WORD}.document.main+xml`,
        'application/vnd.ms-word.template.macroEnabledTemplate.main+xml',
      ),
    ['CONTENT_TYPE_UNKNOWN'],
  ],
  [
    'a part loses its content type',
    (files) => replaceIn(files, TYPES, 'Extension="png"', 'Extension="gif"'),
    ['CONTENT_TYPE_UNKNOWN'],
  ],
  [
    'a part is renamed in capitals, which some readers distinguish',
    (files) => rename(files, 'word/header1.xml', 'word/Header1.xml'),
    ['PART_MISSING', 'PART_UNSIGNED'],
  ],
  [
    'a part is renamed with percent encoding',
    (files) => rename(files, 'word/styles.xml', 'word/%73tyles.xml'),
    ['PART_MISSING', 'PART_UNSIGNED'],
  ],
  [
    'a percent-encoded duplicate of a part is added',
    (files) => files.set('word/%73tyles.xml', Buffer.from(`<w:styles xmlns:w="${W}"/>`)),
    ['PART_MISSING', 'PART_UNSIGNED'],
  ],
  [
    'the relationships get an xml:base, which no transform covers',
    (files) =>
      replaceIn(files, MAIN_RELS, '<Relationships ', '<Relationships xml:base="https://example.com/" '),
    ['RELATIONSHIP_UNSIGNED'],
  ],
  [
    'a relationship takes the type of the origin to hide its part',
    (files) => {
      addPart(files, 'word/evil.xml', '<a/>', `${WORD}.footnotes+xml`);
      relate(files, MAIN_RELS, 'rId77', ORIGIN_RELATIONSHIP, 'evil.xml');
    },
    ['PART_UNSIGNED', 'RELATIONSHIP_UNSIGNED'],
  ],
  [
    'the audit trail is replaced',
    (files) => files.set('scriptorium/audit.json', Buffer.from('{"id":"2"}')),
    ['DIGEST_MISMATCH'],
  ],
];
