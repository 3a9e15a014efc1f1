import { malformed } from '@scriptorium/pdf/pdf-error';
import { Dict, Ref } from '@scriptorium/pdf/read/values';
import { literal } from '@scriptorium/pdf/write/literal';
import type { Update } from '@scriptorium/pdf/write/update';
import { editDict } from '@scriptorium/pdf/write/update';
import type { PageSize } from './sheet.ts';

/**
 * Adds pages behind the last one: a node of their own at the end of the page tree's root. Each names all that it could inherit
 * (ISO 32000-2, 7.7.3.4), so that nothing of the document shows on it. `resources` refers to a resource dictionary.
 */
export function appendPages(update: Update, contents: readonly Ref[], size: PageSize, resources: Ref): void {
  const { document } = update;
  const rootRef = document.catalog.value.get('Pages');
  const root = document.resolve(rootRef);
  if (!(rootRef instanceof Ref) || !(root instanceof Dict)) throw malformed('its catalog has no page tree');
  const count = document.get(root, 'Count');
  if (typeof count !== 'number') throw malformed('its page tree does not say how many pages it has');
  const node = update.reserve();
  const box = literal.numbers([0, 0, size.width, size.height]);
  const kids = contents.map((content) =>
    update.add(
      `<</Type/Page/Parent ${node}/MediaBox${box}/CropBox${box}/Rotate 0/Resources ${resources}/Contents ${content}>>`,
    ),
  );
  update.replace(node, `<</Type/Pages/Parent ${rootRef}/Kids[${kids.join(' ')}]/Count ${kids.length}>>`);
  const kidsText = update.append(root, 'Kids', node.toString());
  const changes: Record<string, string> = { Count: String(count + kids.length) };
  if (kidsText !== undefined) changes.Kids = kidsText;
  update.replace(rootRef, editDict(root, changes));
}
