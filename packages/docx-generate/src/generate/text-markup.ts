import { valueTextIssue } from '@scriptorium/docx-template/fields';
import type { Dialect } from '@scriptorium/docx-template/template';
import { escapeXml, FORBIDDEN_CHARACTERS } from '@scriptorium/ooxml/xml';

/** Characters that cannot stand in a `w:t` as they are, or need a check. */
const SPECIAL = new RegExp(`[&<>\t\n\r${FORBIDDEN_CHARACTERS}\ud800-\udfff]`);

const LINE_END = /\r\n|[\r\n\v]/;

/** Writes texts into `w:t` elements and attributes. */
export class TextMarkup {
  /** The reason why a document cannot have the text, or null. */
  issueOf(text: string): string | null {
    return SPECIAL.test(text) || text.length > 100_000 ? valueTextIssue(text) : null;
  }

  /** A text inside a `w:t` with these tags. Line ends become `w:br`, tabs `w:tab`. */
  inText(text: string, [open, close]: readonly [string, string], dialect: Dialect): string {
    if (!SPECIAL.test(text)) return text;
    return text
      .split(LINE_END)
      .map((line) =>
        line
          .split('\t')
          .map(escapeXml)
          .join(close + dialect.element('tab') + open),
      )
      .join(close + dialect.element('br') + open);
  }

  attribute(text: string): string {
    return escapeXml(text.replace(/[\r\n\t\v]+/g, ' '));
  }
}
