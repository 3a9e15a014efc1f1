import { z } from 'zod';
import { valueKind } from './value-kind.ts';

/** `{"$pageBreak": true}`: what follows is on the next page. */
export const pageBreakKind = valueKind({
  key: '$pageBreak',
  requested: z.literal(true, 'must be true'),
  render: (_, { story }) => ({ run: story.dialect.element('br', { type: 'page' }) }),
});
