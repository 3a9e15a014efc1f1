import { z } from 'zod';
import { documentSource } from './document-source.ts';

/** The body of `POST /v1/templates/inspect`. */
export const inspectRequest = z.strictObject({ document: documentSource });
