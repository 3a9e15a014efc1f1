/** A kind of OpenDocument package. */
export interface OdfKind {
  /** A noun phrase for messages. */
  name: string;
  /** Its media type. Templates have the same with a suffix. */
  type: string;
  suffixes: readonly string[];
  /** The element in the body of its content. */
  body: 'text' | 'spreadsheet' | 'presentation';
}

const TYPE = 'application/vnd.oasis.opendocument';

export const TEXT_KIND: OdfKind = {
  name: 'an OpenDocument text (ODT)',
  type: `${TYPE}.text`,
  suffixes: ['', '-template', '-master'],
  body: 'text',
};

export const SPREADSHEET_KIND: OdfKind = {
  name: 'an OpenDocument spreadsheet (ODS)',
  type: `${TYPE}.spreadsheet`,
  suffixes: ['', '-template'],
  body: 'spreadsheet',
};

export const PRESENTATION_KIND: OdfKind = {
  name: 'an OpenDocument presentation (ODP)',
  type: `${TYPE}.presentation`,
  suffixes: ['', '-template'],
  body: 'presentation',
};
