import { openApiDocument } from './openapi.ts';
import type { Route } from './route.ts';
import { type AnnotateParts, annotateRoute } from './routes/annotate.ts';
import { type ConvertParts, convertRoute } from './routes/convert.ts';
import { type HealthParts, healthRoutes } from './routes/health.ts';
import { type InspectParts, inspectRoute } from './routes/inspect.ts';
import { type KeysParts, keyRoutes } from './routes/keys.ts';
import { pageRoutes } from './routes/pages.ts';
import { type RedeemCodeParts, redeemCodeRoutes } from './routes/redeem-code.ts';
import { type RegisterParts, registerRoute } from './routes/register.ts';
import { type SignParts, signRoute } from './routes/sign.ts';
import { type SigningKeyRouteParts, signingKeyRoute } from './routes/signing-key.ts';
import { type UsageParts, usageRoute } from './routes/usage.ts';
import { type VerifyParts, verifyRoute } from './routes/verify.ts';

export interface RouteParts {
  version: string;
  publicUrl: string | undefined;
  samplesFolder: string;
  convert: ConvertParts;
  annotate: AnnotateParts;
  inspect: InspectParts;
  sign: SignParts;
  verify: VerifyParts;
  signingKey: SigningKeyRouteParts;
  usage: UsageParts;
  register: RegisterParts;
  redeemCode: RedeemCodeParts;
  keys: KeysParts;
  health: HealthParts;
}

/** Every operation of the gateway, in the order in which the reference shows them. */
export function allRoutes(parts: RouteParts): Route[] {
  const { version, publicUrl, samplesFolder } = parts;
  const routes: Route[] = [
    convertRoute(parts.convert),
    annotateRoute(parts.annotate),
    inspectRoute(parts.inspect),
    signRoute(parts.sign),
    verifyRoute(parts.verify),
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
