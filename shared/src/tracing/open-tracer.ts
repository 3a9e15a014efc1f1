import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  type Context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  type Tracer as OtelTracer,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { ConfigError } from '../config.ts';
import type { TracingConfig } from './settings.ts';
import type { OpenSpan, SpanStart, TraceContext, Tracer } from './trace.ts';

const DEFAULT_ENDPOINT = 'http://localhost:4318';

export interface OpenedTracer {
  tracer: Tracer;
  /** Sends the remaining spans. It may take as long as the collector. */
  shutdown(): Promise<void>;
}

export interface TracedService {
  service: string;
  version: string;
}

/** Opens a tracer of the OpenTelemetry SDK. `onLost` gets the error of each batch that was not exported. Throws ConfigError. */
export function openTracer(
  config: TracingConfig,
  { service, version }: TracedService,
  onLost: (error: unknown) => void,
): OpenedTracer {
  const provider = new TracerProvider({
    sampler: samplerOf(config),
    resource: defaultResource().merge(
      resourceFromAttributes({
        'service.name': `scriptorium-${service}`,
        'service.version': version,
        'service.instance.id': randomUUID(),
        ...config.OTEL_RESOURCE_ATTRIBUTES,
        ...(config.OTEL_SERVICE_NAME && { 'service.name': config.OTEL_SERVICE_NAME }),
      }),
    ),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: exporterOf(config),
        scheduledDelayMillis: config.OTEL_BSP_SCHEDULE_DELAY,
        exportTimeoutMillis: config.OTEL_BSP_EXPORT_TIMEOUT,
        maxQueueSize: config.OTEL_BSP_MAX_QUEUE_SIZE,
        maxExportBatchSize: Math.min(config.OTEL_BSP_MAX_EXPORT_BATCH_SIZE, config.OTEL_BSP_MAX_QUEUE_SIZE),
      }),
    ],
  });
  setGlobalErrorHandler(onLost);
  return {
    tracer: tracerOf(provider.getTracer('scriptorium', version)),
    shutdown: () => provider.shutdown(),
  };
}

function samplerOf({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio }: TracingConfig): Sampler {
  const roots: Record<string, () => Sampler> = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(ratio),
  };
  const root = roots[name.replace('parentbased_', '')]?.() ?? new AlwaysOnSampler();
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

function exporterOf(config: TracingConfig): OTLPTraceExporter {
  const headers = config.OTEL_EXPORTER_OTLP_HEADERS?.reveal() ?? '{}';
  const agent = Object.entries({
    ca: pemIn('OTEL_EXPORTER_OTLP_CERTIFICATE', config),
    cert: pemIn('OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE', config),
    key: pemIn('OTEL_EXPORTER_OTLP_CLIENT_KEY', config),
  }).filter(([, pem]) => pem !== undefined);
  return new OTLPTraceExporter({
    url: urlOf(config),
    headers: JSON.parse(headers) as Record<string, string>,
    timeoutMillis: config.OTEL_EXPORTER_OTLP_TIMEOUT,
    compression: config.OTEL_EXPORTER_OTLP_COMPRESSION as never,
    httpAgentOptions: { keepAlive: true, ...Object.fromEntries(agent) },
  });
}

function urlOf(config: TracingConfig): string {
  const whole = config.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?.reveal();
  if (whole !== undefined) return whole;
  const base = new URL(config.OTEL_EXPORTER_OTLP_ENDPOINT?.reveal() ?? DEFAULT_ENDPOINT);
  base.pathname = `${base.pathname.replace(/\/$/, '')}/v1/traces`;
  return base.href;
}

type PemSetting = Extract<keyof TracingConfig, `${string}_CERTIFICATE` | `${string}_KEY`>;

function pemIn(setting: PemSetting, config: TracingConfig): Buffer | undefined {
  const file = config[setting];
  if (file === undefined) return undefined;
  try {
    return readFileSync(file);
  } catch {
    throw new ConfigError([`${setting}: the file cannot be read`]);
  }
}

function tracerOf(otel: OtelTracer): Tracer {
  const manager = new AsyncLocalStorageContextManager().enable();
  const propagator = new W3CTraceContextPropagator();
  const read = (carrier: TraceContext): Context =>
    propagator.extract(ROOT_CONTEXT, carrier, defaultTextMapGetter);

  const openSpanOf = (span: Span, context: Context): OpenSpan => ({
    traceId: span.spanContext().traceId,
    set: (attributes) => void span.setAttributes(attributes),
    fail(errorType, isFault) {
      span.setAttribute('error.type', errorType);
      if (isFault) span.setStatus({ code: SpanStatusCode.ERROR });
    },
    within: (work) => manager.with(context, work),
    addStage: (name, startMs, endMs) =>
      otel.startSpan(name, { startTime: startMs }, context).end(Math.max(startMs, endMs)),
    end: () => span.end(),
  });

  const open = (name: string, { kind = 'internal', attributes, parent, link }: SpanStart): OpenSpan => {
    const from = parent === undefined ? manager.active() : read(parent);
    const linked = link && trace.getSpanContext(read(link));
    const span = otel.startSpan(
      name,
      {
        kind: SpanKind[kind.toUpperCase() as Uppercase<typeof kind>],
        ...(attributes && { attributes }),
        // Only the ids: the `tracestate` of a caller is untrusted text.
        ...(linked && { links: [{ context: { ...linked, traceState: undefined } }] }),
      },
      from,
    );
    return openSpanOf(span, trace.setSpan(from, span));
  };

  return {
    open,
    current() {
      const span = trace.getSpan(manager.active());
      return span && openSpanOf(span, manager.active());
    },
    context() {
      const carrier: TraceContext = {};
      propagator.inject(manager.active(), carrier, defaultTextMapSetter);
      return carrier;
    },
  };
}
