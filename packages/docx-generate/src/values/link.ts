import { valueText, xmlText } from '@scriptorium/docx-template/fields';
import { hyperlink, isLinkAddress, linesOf, linkLook, run } from '@scriptorium/docx-template/text';
import { z } from 'zod';
import { type RenderContext, type Replacement, type ValueSpot, valueKind } from './value-kind.ts';

const ADDRESS_ISSUE = 'must be an http, https, mailto or tel address, or `#` and the name of a bookmark';

const address = xmlText.refine(isLinkAddress, ADDRESS_ISSUE);

/** `{"$link": {text?, href}}`. Without a text, the address is displayed. */
export const linkKind = valueKind({
  key: '$link',
  requested: z.strictObject(
    { href: address, text: valueText.nullish(), tooltip: xmlText.nullish() },
    'must be an object with an `href`',
  ),
  render: ({ href, text, tooltip }, spot, context) =>
    linkTo({ href, text: text || href, tooltip: tooltip ?? undefined }, spot, context),
});

function linkTo(
  { href, text, tooltip }: { href: string; text: string; tooltip: string | undefined },
  { story, style, isInLink }: ValueSpot,
  { editor }: RenderContext,
): Replacement {
  editor.reserve(2 * text.length + style.length);
  const shown = (looks: string) => run(linesOf(text), looks, story.dialect);
  if (isInLink) return { runs: shown(style) };
  const look = style === '' ? linkLook(story, editor) : style;
  return { runs: hyperlink(href, shown(look), story, editor, tooltip) };
}
