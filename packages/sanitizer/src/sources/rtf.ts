import { DropLog } from './drop-log.ts';
import { FrozenFields } from './frozen-fields.ts';
import { pictureReader } from './picture.ts';
import { wrongFormat } from './refusal.ts';
import { RtfRewriter } from './rtf/rewriter.ts';
import type { SourceSanitizer } from './source.ts';

const NAME = 'an RTF document';

/** Splits Rich Text Format into tokens and rewrites it. */
export const rtfSanitizer: SourceSanitizer = {
  async prepare(bytes, { updateFields, metafiles }) {
    if (bytes.toString('latin1', 0, 5) !== '{\\rtf') throw await wrongFormat(bytes, NAME);
    const drops = new DropLog();
    const frozen = new FrozenFields(updateFields);
    const rtf = new RtfRewriter(drops, frozen.rule, pictureReader(metafiles)).rewrite(
      bytes.toString('latin1'),
    );
    return {
      bytes: Buffer.from(rtf, 'latin1'),
      engineSource: 'rtf',
      dropped: drops.list(),
      facts: { frozenFields: frozen.counts },
    };
  },
};
