import { z } from 'zod';
import { documentSource } from './document-source.ts';

/** The body of an operation on one document whose options, if there are any, are in the query. */
export const documentRequest = z.strictObject({ document: documentSource }).meta({ id: 'DocumentRequest' });
