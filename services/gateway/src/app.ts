import { AppError } from '@scriptorium/contracts/errors';
import { refuseAmbiguity, refuseMethod } from '@scriptorium/shared/http/refusals';
import type { TraceCallers } from '@scriptorium/shared/tracing/settings';
import type { Operation } from '@scriptorium/usage/inbox';
import express, { type Express, type RequestHandler } from 'express';
import helmet from 'helmet';
import { requireScope } from './auth/key-rights.ts';
import type { Deferral } from './deferred/fields.ts';
import { type Middleware, ownerOf } from './http/context.ts';
import { isRepeatable, type Route } from './http/route.ts';
import { allowOrigins } from './middleware/allow-origins.ts';
import { answerErrors } from './middleware/answer-errors.ts';
import { refusePrefetch } from './middleware/refuse-prefetch.ts';
import { requestContext } from './middleware/request-context.ts';
import { inSpanOf, traceRequest } from './middleware/trace.ts';
import type { GatewayEvents } from './monitoring/events.ts';
import { PAGE_POLICY } from './pages/served-files.ts';

/** Headers that must not repeat. */
const SENT_ONCE = ['host', 'authorization'];

export interface AppParts {
  routes: Route[];
  authenticate: Middleware;
  /** Applied after the key check. Also counts the waiting jobs of these queues. */
  rateLimit(queues: readonly string[]): Middleware;
  /** Applied after the limits: what trial keys may do. */
  admitTrial(isCounted: boolean): Middleware;
  /** Applied after that to routes whose answer may come later. */
  defer(route: Route, deferral: Deferral): Middleware;
  deferForm(route: Route): Middleware;
  /** Applied once the body of an operation with documents has been read: what is repeated counts once. */
  countOnce: Middleware;
  /** Counts the answers of routes that are operations. */
  meter(operation: Operation): Middleware;
  /** Files that the pages need, by the prefix of their path. */
  files: Record<string, RequestHandler>;
  /** Sites whose pages may call the operations; see `CORS_ORIGINS`. */
  corsOrigins: readonly string[];
  trustProxyHops: number;
  traceCallers: TraceCallers;
  deadlineMs: number;
  events: GatewayEvents;
}

/** Serves the whole HTTP surface: everything in `routes`, and a typed error for everything else. */
export function createApp(parts: AppParts): Express {
  const app = express();
  app.set('query parser', 'simple');
  app.set('trust proxy', parts.trustProxyHops);
  app.set('etag', false);
  app.disable('x-powered-by');
  app.use(requestContext(parts.deadlineMs, parts.events) as unknown as RequestHandler);
  app.use(helmet({ contentSecurityPolicy: { useDefaults: false, directives: PAGE_POLICY } }));
  app.use((request, _response, next) => {
    refuseAmbiguity(request, SENT_ONCE);
    next();
  });
  if (parts.corsOrigins.length > 0) app.all(crossOriginPaths(parts.routes), allowOrigins(parts.corsOrigins));
  for (const route of parts.routes)
    app[route.method](route.path, ...(handlersOf(route, parts) as unknown as RequestHandler[]));
  for (const path of new Set(parts.routes.map((route) => route.path)))
    app.all(path, (request, response) => refuseMethod(request, response, allowedMethods(parts.routes, path)));
  for (const [prefix, files] of Object.entries(parts.files)) app.use(prefix, files);
  app.use(() => {
    throw new AppError('NOT_FOUND', 'Route not found; see /docs.');
  });
  app.use(answerErrors(parts.events) as unknown as express.ErrorRequestHandler);
  return app;
}

/** The operations, but for those without a key that change state: no other site may have visitors use them up. */
const crossOriginPaths = (routes: readonly Route[]): string[] =>
  routes
    .filter(({ operationId, hasSideEffects = false }) => operationId !== undefined && !hasSideEffects)
    .map(({ path }) => path);

function handlersOf(route: Route, parts: AppParts): Middleware[] {
  const handlers: Middleware[] = [
    (_request, response, next) => {
      response.locals.route = route.path;
      next();
    },
    ...(route.isUntraced ? [] : [traceRequest(route.path, parts.traceCallers)]),
    ...(route.hasSideEffects ? [refusePrefetch(allowedMethods(parts.routes, route.path))] : []),
    ...(route.before ? [route.before] : []),
    ...(route.access === 'key'
      ? [
          parts.authenticate,
          ...(route.hasOwnCalls
            ? []
            : [
                withScope(route),
                parts.rateLimit(route.queues ?? []),
                parts.admitTrial(route.operation !== undefined && route.operation !== 'inspect'),
              ]),
        ]
      : []),
    ...(route.deferral ? [parts.defer(route, route.deferral)] : []),
    ...(route.takesWebhook ? [parts.deferForm(route)] : []),
    ...(route.operation ? [parts.meter(route.operation)] : []),
    ...(route.middleware ?? []),
    ...(isRepeatable(route) ? [parts.countOnce] : []),
    (request, response) => route.handle(request, response),
  ];
  return handlers.map(unlessDisconnected);
}

/** Refuses keys that may not use the operation of the route. */
function withScope({ operationId = '', scope }: Route): Middleware {
  return (_request, response, next) => {
    requireScope(ownerOf(response).rights, scope ?? operationId);
    next();
  };
}

/** Skips the remaining steps once the caller has disconnected: they rely on an event that has already fired. */
function unlessDisconnected(handler: Middleware): Middleware {
  return (request, response, next) =>
    response.closed ? undefined : inSpanOf(response, () => handler(request, response, next));
}

/** HEAD comes with GET, unless the GET changes something. */
function allowedMethods(routes: Route[], path: string): string[] {
  return routes
    .filter((route) => route.path === path)
    .flatMap(({ method, hasSideEffects }) =>
      method === 'get' && !hasSideEffects ? ['GET', 'HEAD'] : [method.toUpperCase()],
    );
}
