/** The content that a complete file of a format must have. Each character of a string is a byte. */
export type Soundness =
  | { kind: 'PDF' }
  /** An archive with a part of this name, and of this content if given. */
  | { kind: 'ZIP archive'; part: string; content?: string }
  | { kind: 'UTF-8 text' }
  | { kind: 'file'; start: string; end: string };

/** A target format. */
export interface TargetFormatEntry {
  contentType: string;
  /** LibreOffice's export filter, as in its `share/registry/writer.xcd` (see the converter's `libreoffice.mjs`). */
  filter: string;
  sound: Soundness;
}

/** Every target format, by its name, which is also the file extension. To add a format, add an entry. */
export const TARGET_FORMATS = {
  pdf: {
    contentType: 'application/pdf',
    filter: 'writer_pdf_Export',
    sound: { kind: 'PDF' },
  },
  docx: {
    contentType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    filter: 'MS Word 2007 XML',
    sound: { kind: 'ZIP archive', part: 'word/document.xml' },
  },
  odt: {
    contentType: 'application/vnd.oasis.opendocument.text',
    filter: 'writer8',
    sound: {
      kind: 'ZIP archive',
      part: 'mimetype',
      content: 'application/vnd.oasis.opendocument.text',
    },
  },
  html: {
    contentType: 'text/html; charset=utf-8',
    filter: 'HTML (StarWriter)',
    sound: { kind: 'UTF-8 text' },
  },
  txt: {
    contentType: 'text/plain; charset=utf-8',
    filter: 'Text',
    sound: { kind: 'UTF-8 text' },
  },
  png: {
    contentType: 'image/png',
    filter: 'writer_png_Export',
    // PNG (third edition) §5.2 and §11.2.5.
    sound: { kind: 'file', start: '\x89PNG\r\n\x1a\n\0\0\0\rIHDR', end: '\0\0\0\0IEND\xaeB`\x82' },
  },
} as const satisfies Record<string, TargetFormatEntry>;

export type TargetFormat = keyof typeof TARGET_FORMATS;
