import { signingKeyJob } from '@scriptorium/shared/jobs/signing-key';
import type { BatchParts } from './batches/batch-parts.ts';
import type { DocumentParts } from './documents/parts.ts';
import { openApiDocument } from './openapi.ts';
import type { Route } from './route.ts';
import { annotate } from './routes/annotate.ts';
import { BATCH_JOBS, batchRoute } from './routes/batches.ts';
import { convert } from './routes/convert.ts';
import { generate } from './routes/generate.ts';
import { type HealthParts, healthRoutes } from './routes/health.ts';
import { inspect } from './routes/inspect.ts';
import { type KeysParts, keyRoutes } from './routes/keys.ts';
import { merge } from './routes/merge.ts';
import { pageRoutes } from './routes/pages.ts';
import { type RedeemCodeParts, redeemCodeRoutes } from './routes/redeem-code.ts';
import { type RegisterParts, registerRoute } from './routes/register.ts';
import { sign } from './routes/sign.ts';
import { type SigningKeyRouteParts, signingKeyRoute } from './routes/signing-key.ts';
import { type UsageParts, usageRoute } from './routes/usage.ts';
import { verify } from './routes/verify.ts';

const DOCUMENT_OPERATIONS = [convert, annotate, generate, merge, inspect, sign, verify];

/** The jobs of these routes. */
export const JOBS = [...DOCUMENT_OPERATIONS.flatMap(({ jobs }) => jobs), ...BATCH_JOBS, signingKeyJob];

export interface RouteParts {
  version: string;
  publicUrl: string | undefined;
  samplesFolder: string;
  documents: DocumentParts;
  batches: Omit<BatchParts, 'documents'>;
  signingKey: SigningKeyRouteParts;
  usage: UsageParts;
  register: RegisterParts;
  redeemCode: RedeemCodeParts;
  keys: KeysParts;
  health: HealthParts;
}

/** Returns every operation of the gateway, in the order of the reference. */
export function allRoutes(parts: RouteParts): Route[] {
  const { version, publicUrl, samplesFolder } = parts;
  const routes: Route[] = [
    ...DOCUMENT_OPERATIONS.map(({ route }) => route(parts.documents)),
    batchRoute({ ...parts.batches, documents: parts.documents }),
    signingKeyRoute(parts.signingKey),
    usageRoute(parts.usage),
    registerRoute(parts.register),
    ...redeemCodeRoutes(parts.redeemCode),
    ...keyRoutes(parts.keys),
    ...healthRoutes(parts.health),
    ...pageRoutes({ version, publicUrl, samplesFolder, openApi: () => document }),
  ];
  const document = openApiDocument(routes, version);
  return routes;
}
