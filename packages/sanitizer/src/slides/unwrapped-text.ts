import type { Inspector, Part } from '@scriptorium/ooxml/package';
import type { XmlVisitor } from '@scriptorium/ooxml/xml';

/**
 * Keeps the lines of text boxes that do not wrap (`wrap="none"`, ECMA-376-1 §21.1.2.1.1). PowerPoint shows a line that is wider
 * than the stored box, even if the box fits its text. LibreOffice would break it at the width of such a box.
 */
export function unwrappedText(): Inspector {
  return { visit: visitBodies };
}

function visitBodies({ edits, xml = '' }: Part): XmlVisitor {
  let isUnwrapped = false;
  return {
    'a:bodyPr': {
      open(tag) {
        isUnwrapped = tag.attribute('wrap') === 'none';
      },
      close() {
        isUnwrapped = false;
      },
    },
    'a:spAutoFit': {
      open({ start, end, isEmpty }) {
        if (!isUnwrapped || !isEmpty) return;
        edits.push({ start, end, text: xml.slice(start, end).replace('spAutoFit', 'noAutofit') });
      },
    },
  };
}
