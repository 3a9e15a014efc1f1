import { signingKeyJob } from '@scriptorium/contracts/jobs/signing-key';
import type { BatchParts } from './batches/batch-parts.ts';
import type { DocumentParts } from './documents/parts.ts';
import type { Route } from './http/route.ts';
import type { McpParts } from './mcp/parts.ts';
import { mcpRoutes } from './mcp/route.ts';
import { openApiDocument } from './openapi/document.ts';
import { type SampleFiles, samplesInBase64 } from './pages/samples.ts';
import { annotate } from './routes/annotate.ts';
import { augment } from './routes/augment.ts';
import { BATCH_JOBS, batchRoute } from './routes/batches.ts';
import { convert } from './routes/convert.ts';
import { generate } from './routes/generate.ts';
import { gotenberg } from './routes/gotenberg.ts';
import { type HealthParts, healthRoutes } from './routes/health.ts';
import { inspect } from './routes/inspect.ts';
import { type JobRouteParts, jobRoutes } from './routes/jobs.ts';
import { type KeysParts, keyRoutes } from './routes/keys.ts';
import { type LimitSettings, limitsRoute } from './routes/limits.ts';
import { merge } from './routes/merge.ts';
import { pageRoutes } from './routes/pages.ts';
import { type PlaygroundSettings, playgroundRoute } from './routes/playground.ts';
import { type RedeemCodeParts, redeemCodeRoutes } from './routes/redeem-code.ts';
import { type RegisterParts, registerRoute } from './routes/register.ts';
import { sign } from './routes/sign.ts';
import { signDigest } from './routes/sign-digest.ts';
import { type SigningKeyRouteParts, signingKeyRoute } from './routes/signing-key.ts';
import { type TrialParts, trialRoute } from './routes/trial.ts';
import { type UsageParts, usageRoute } from './routes/usage.ts';
import { verify } from './routes/verify.ts';
import type { GatewayConfig } from './settings/config.ts';

const DOCUMENT_OPERATIONS = [
  convert,
  annotate,
  generate,
  merge,
  inspect,
  sign,
  signDigest,
  augment,
  verify,
  gotenberg,
];

/** The jobs of these routes. */
export const JOBS = [...DOCUMENT_OPERATIONS.flatMap(({ jobs }) => jobs), ...BATCH_JOBS, signingKeyJob];

export interface RouteParts {
  version: string;
  samples: SampleFiles;
  settings: LimitSettings &
    PlaygroundSettings &
    Pick<GatewayConfig, 'PUBLIC_URL' | 'SECURITY_CONTACT' | 'PLAYGROUND'>;
  documents: DocumentParts;
  batches: Omit<BatchParts, 'documents'>;
  jobs: JobRouteParts;
  signingKey: SigningKeyRouteParts;
  usage: UsageParts;
  register: RegisterParts;
  redeemCode: RedeemCodeParts;
  keys: KeysParts;
  trial: TrialParts;
  mcp: McpParts;
  health: HealthParts;
}

/** Returns every operation of the gateway, in the order of the reference. */
export function allRoutes(parts: RouteParts): Route[] {
  const { version, samples, settings } = parts;
  const { PUBLIC_URL: publicUrl, SECURITY_CONTACT: securityContact } = settings;
  const routes: Route[] = [
    ...DOCUMENT_OPERATIONS.map(({ route }) => route(parts.documents)),
    batchRoute({ ...parts.batches, documents: parts.documents }),
    ...jobRoutes(parts.jobs),
    signingKeyRoute(parts.signingKey),
    usageRoute(parts.usage),
    registerRoute(parts.register),
    ...redeemCodeRoutes(parts.redeemCode),
    ...keyRoutes(parts.keys),
    trialRoute(parts.trial),
    ...mcpRoutes({ ...parts.mcp, version, loading: parts.documents.loading }),
    ...healthRoutes(parts.health),
    limitsRoute(settings),
    ...(settings.PLAYGROUND === 'on' ? [playgroundRoute(version, settings)] : []),
    ...pageRoutes({
      version,
      publicUrl,
      securityContact,
      samples,
      hasPlayground: settings.PLAYGROUND === 'on',
      openApi: () => document,
    }),
  ];
  const document = openApiDocument(routes, { version, publicUrl, samples: samplesInBase64(samples) });
  return routes;
}
