import { replaceIn } from '../../docx/resigned.ts';
import {
  type Attack,
  addPart,
  NO_RELATIONSHIPS,
  ORIGIN_RELATIONSHIP,
  ORIGIN_RELS,
  R,
  relate,
  SIGNATURE_RELATIONSHIP,
  TYPES,
} from './changes.ts';

/** Attacks on the list of signatures of a package. */
export const LISTS: Attack[] = [
  [
    'the origin also leads to a part of the text',
    (files) => relate(files, ORIGIN_RELS, 'x', `${R}/styles`, '../word/styles.xml'),
    ['XML_SIGNATURE_INVALID'],
  ],
  [
    'the signature leads to an image',
    (files) => {
      addPart(files, '_xmlsignatures/_rels/sig1.xml.rels', NO_RELATIONSHIPS);
      relate(files, '_xmlsignatures/_rels/sig1.xml.rels', 'x', `${R}/image`, '../word/media/image1.png');
    },
    ['XML_SIGNATURE_INVALID'],
  ],
  [
    'the package has a second origin',
    (files) => {
      addPart(files, '_xmlsignatures/other.sigs', '');
      relate(files, '_rels/.rels', 'other', ORIGIN_RELATIONSHIP, '_xmlsignatures/other.sigs');
    },
    ['XML_SIGNATURE_INVALID'],
  ],
  [
    'the list of signatures is removed, but not the signature',
    (files) => replaceIn(files, ORIGIN_RELS, /<Relationship .*?\/>/, ''),
    ['XML_SIGNATURE_INVALID'],
  ],
  [
    'the signature has another content type',
    (files) => replaceIn(files, TYPES, 'digital-signature-xmlsignature+xml', 'other+xml'),
    ['CONTENT_TYPE_UNKNOWN'],
  ],
  [
    'it is listed twice',
    (files) => relate(files, ORIGIN_RELS, 'again', SIGNATURE_RELATIONSHIP, 'sig1.xml'),
    ['XML_SIGNATURE_INVALID'],
  ],
];
