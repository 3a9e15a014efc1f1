import { validateHeaderName, validateHeaderValue } from 'node:http';
import { z } from 'zod';
import { flag, integer, readWhere, Secret, secretUrl } from '../config.ts';

/** Names of OpenTelemetry. */
export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

const PAIRS_ISSUE = 'must be comma-separated name=value pairs, with special characters percent-encoded';

/** Parses `name=value,…` in the format of OpenTelemetry. Returns undefined for anything else. */
function parsePairs(text: string): Record<string, string> | undefined {
  const pairs: [string, string][] = [];
  try {
    for (const entry of text.split(',').filter((part) => part.trim() !== '')) {
      const equals = entry.indexOf('=');
      const name = decodeURIComponent(entry.slice(0, Math.max(0, equals)).trim());
      if (name === '') return undefined;
      pairs.push([name, decodeURIComponent(entry.slice(equals + 1).trim())]);
    }
  } catch {
    return undefined;
  }
  return Object.fromEntries(pairs);
}

function areHeaders(pairs: Record<string, string>): boolean {
  try {
    for (const [name, value] of Object.entries(pairs)) {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    }
    return true;
  } catch {
    return false;
  }
}

const pairs = (isValid: (pairs: Record<string, string>) => boolean = () => true) =>
  z.string().transform((text, context) => {
    const parsed = parsePairs(text);
    if (parsed !== undefined && isValid(parsed)) return parsed;
    context.addIssue({ code: 'custom', message: PAIRS_ISSUE });
    return z.NEVER;
  });

const endpoint = () => secretUrl(['http:', 'https:']);
const protocol = () => z.literal('http/protobuf', 'must be http/protobuf, the only supported protocol');

/** Settings that enable tracing. */
const switches = {
  OTEL_TRACES_EXPORTER: z
    .enum(['none', 'otlp'])
    .default('none')
    .describe('`otlp`: send traces to a collector. `none`: do not trace'),
  OTEL_SDK_DISABLED: flag()
    .default(false)
    .describe('`true`: do not trace. It takes precedence over `OTEL_TRACES_EXPORTER`'),
};

const details = {
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint()
    .optional()
    .describe('Base URL of the collector; `/v1/traces` is appended. By default `http://localhost:4318`'),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint()
    .optional()
    .describe('Full URL of the collector; nothing is appended'),
  OTEL_EXPORTER_OTLP_PROTOCOL: protocol()
    .default('http/protobuf')
    .describe('Protocol of the exporter. Only `http/protobuf` is supported'),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: protocol().optional().describe('The same, for traces only'),
  OTEL_EXPORTER_OTLP_HEADERS: pairs(areHeaders)
    .transform((headers) => new Secret(JSON.stringify(headers)))
    .optional()
    .describe('Headers for the collector: `name=value,…`. Never logged'),
  OTEL_EXPORTER_OTLP_TIMEOUT: integer(1, 600_000)
    .default(10_000)
    .describe('Maximum time to send a batch of spans, with its retries, ms'),
  OTEL_EXPORTER_OTLP_COMPRESSION: z
    .enum(['none', 'gzip'])
    .default('none')
    .describe('Compression of the exported spans: `none` or `gzip`'),
  OTEL_EXPORTER_OTLP_CERTIFICATE: z
    .string()
    .optional()
    .describe('PEM file of the authorities that the certificate of the collector is verified with'),
  OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: z.string().optional().describe('PEM file of the client certificate'),
  OTEL_EXPORTER_OTLP_CLIENT_KEY: z
    .string()
    .optional()
    .describe('PEM file of the key of the client certificate'),
  OTEL_SERVICE_NAME: z
    .string()
    .max(255)
    .optional()
    .describe('`service.name` of the spans. By default `scriptorium-` followed by the service'),
  OTEL_RESOURCE_ATTRIBUTES: pairs()
    .default({})
    .describe('Further resource attributes: `name=value,…`')
    .meta({ defaultText: 'none' }),
  OTEL_TRACES_SAMPLER: z
    .enum(SAMPLERS)
    .default('parentbased_always_on')
    .describe(
      `Which requests are traced: ${SAMPLERS.map((name) => `\`${name}\``).join(', ')}. With \`parentbased\`, workers follow the decision of the gateway`,
    ),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0(\.\d{1,12})?|1(\.0{1,12})?)$/, 'must be a number between 0 and 1')
    .transform(Number)
    .default(1)
    .describe('Share of the requests that a sampler with `traceidratio` selects, 0 to 1'),
  OTEL_BSP_SCHEDULE_DELAY: integer(1, 600_000).default(5_000).describe('Time between two exports, ms'),
  OTEL_BSP_EXPORT_TIMEOUT: integer(1, 600_000).default(30_000).describe('Maximum time of one export, ms'),
  OTEL_BSP_MAX_QUEUE_SIZE: integer(1, 1_000_000)
    .default(2_048)
    .describe('Maximum number of spans that wait for export. Further spans are dropped'),
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: integer(1, 100_000)
    .default(512)
    .describe('Maximum number of spans in one export'),
};

const readWhereTraced = <Settings extends Record<string, z.ZodType>>(settings: Settings): Settings =>
  Object.fromEntries(
    Object.entries(settings).map(([name, setting]) => [
      name,
      readWhere('OTEL_TRACES_EXPORTER', 'otlp', setting),
    ]),
  ) as Settings;

/**
 * The supported settings of OpenTelemetry, with its names and defaults. Clusters set them for every process: without tracing,
 * unsupported values must not cause errors.
 */
export const tracingSettings = { ...switches, ...readWhereTraced(details) };

export type TracingConfig = z.output<z.ZodObject<typeof tracingSettings>>;

/** How a gateway handles the `traceparent` of a request; see the setting `TRACE_CALLERS`. */
export const TRACE_CALLERS = ['link', 'continue', 'ignore'] as const;
export type TraceCallers = (typeof TRACE_CALLERS)[number];

export const isTracingOn = (config: TracingConfig): boolean =>
  config.OTEL_TRACES_EXPORTER === 'otlp' && !config.OTEL_SDK_DISABLED;
