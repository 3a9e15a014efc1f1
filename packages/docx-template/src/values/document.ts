import { z } from 'zod';
import { valueKind } from './value-kind.ts';

/** `{"$document": …}`: refused until documents can be merged. */
export const documentKind = valueKind({
  key: '$document',
  requested: z.unknown().refine(() => false, 'is not taken yet: a document cannot be inserted'),
  render: () => undefined,
});
