import { type Check, faultsFor } from './check.ts';

/** Whether the signature is built as its kind must be, so that all readers see the same. */
export const format: Check = {
  name: 'format',
  run: ({ evidence }) => faultsFor(evidence, 'format'),
};
