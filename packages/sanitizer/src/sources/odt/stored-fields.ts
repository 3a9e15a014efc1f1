import type { Edit, OpenTag, XmlVisitor } from '@scriptorium/ooxml/xml';
import { FrozenFields } from '../frozen-fields.ts';
import type { SourceOptions } from '../source.ts';
import { localName } from './names.ts';

/** Fields that LibreOffice writes anew when it loads a text (ODF 1.3 part 3 §7), by the names that Word has for them. */
const FIELDS: Readonly<Record<string, string>> = {
  date: 'DATE',
  time: 'TIME',
  'file-name': 'FILENAME',
  'template-name': 'TEMPLATE',
  'author-name': 'USERNAME',
  'author-initials': 'USERINITIALS',
  'word-count': 'NUMWORDS',
  'character-count': 'NUMCHARS',
  creator: 'LASTSAVEDBY',
  'initial-creator': 'AUTHOR',
  'creation-date': 'CREATEDATE',
  'creation-time': 'CREATEDATE',
  'modification-date': 'SAVEDATE',
  'modification-time': 'SAVEDATE',
  'print-date': 'PRINTDATE',
  'print-time': 'PRINTDATE',
  'editing-duration': 'EDITTIME',
  'editing-cycles': 'REVNUM',
  description: 'COMMENTS',
  title: 'TITLE',
  subject: 'SUBJECT',
  keywords: 'KEYWORDS',
  'user-defined': 'DOCPROPERTY',
};
/** Word has no such fields. */
const UNNAMED = ['paragraph-count', 'table-count', 'image-count', 'object-count', 'printed-by'];
const SENDER = /^sender-/;
/** The vocabulary of texts, of any version. Others have elements of the same names. */
const TEXT = /[:/]text(?::\d\.\d)?\}/;

const KEPT = [...Object.values(FIELDS), ...UNNAMED];

/** Replaces fields by the text that they last showed, unless the caller asks for new values. */
export class StoredFields {
  readonly #frozen: FrozenFields;

  constructor(updates: SourceOptions['updateFields']) {
    this.#frozen = new FrozenFields(updates, { none: KEPT, all: [] });
  }

  get counts(): Record<string, number> {
    return this.#frozen.counts;
  }

  visitor(edits: Edit[]): XmlVisitor {
    const open: boolean[] = [];
    return {
      '*': {
        open: (tag) => {
          const isStored = this.#isStored(tag);
          open.push(isStored);
          if (isStored) edits.push({ start: tag.start, end: tag.end, text: '' });
        },
        close: ({ closeStart, end }) => {
          if (open.pop() && closeStart < end) edits.push({ start: closeStart, end, text: '' });
        },
      },
    };
  }

  #isStored({ name, attributes }: OpenTag): boolean {
    if (!TEXT.test(name)) return false;
    const local = localName(name);
    const field = SENDER.test(local)
      ? 'USERADDRESS'
      : (FIELDS[local] ?? (UNNAMED.includes(local) ? local : ''));
    // LibreOffice keeps the text of these itself.
    const isFixed = attributes.some((it) => localName(it.name) === 'fixed' && it.value === 'true');
    return field !== '' && !isFixed && this.#frozen.freezes(field);
  }
}
