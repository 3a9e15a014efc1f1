import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface CollectedSpan {
  service: string;
  traceId: string;
  spanId: string;
  /** Empty for the first span of a trace. */
  parentSpanId: string;
  name: string;
  kind: string;
  startMs: number;
  endMs: number;
  attributes: Record<string, string | number | boolean>;
  links: { traceId: string; spanId: string; traceState: string }[];
  isError: boolean;
}

/** A trace collector for OTLP over HTTP in protobuf, on loopback. */
export interface TraceCollector {
  readonly url: string;
  readonly spans: CollectedSpan[];
  /** Everything that it received, including headers. */
  received(): Buffer;
  close(): Promise<void>;
}

export async function startTraceCollector(): Promise<TraceCollector> {
  const spans: CollectedSpan[] = [];
  const received: Buffer[] = [];
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    received.push(Buffer.from(`${request.url} ${request.rawHeaders.join(' ')} `), body);
    if (request.url === '/v1/traces') spans.push(...spansIn(body));
    response.setHeader('content-type', 'application/x-protobuf').end();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    received: () => Buffer.concat(received),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A span and its ancestors, up to the first span of the trace. */
export function ancestry(span: CollectedSpan, spans: readonly CollectedSpan[]): CollectedSpan[] {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
  return parent === undefined ? [span] : [span, ...ancestry(parent, spans)];
}

/** Fields of a message by number (https://protobuf.dev/programming-guides/encoding/). */
class Message {
  readonly #fields: { number: number; value: Buffer | bigint }[] = [];

  constructor(bytes: Buffer) {
    let at = 0;
    const varint = (): bigint => {
      let value = 0n;
      for (let shift = 0n; ; shift += 7n) {
        const byte = bytes[at++] ?? 0;
        value |= BigInt(byte & 0x7f) << shift;
        if (byte < 0x80) return value;
      }
    };
    const take = (count: number): Buffer => {
      at += count;
      return bytes.subarray(at - count, at);
    };
    while (at < bytes.length) {
      const key = Number(varint());
      const wire = key & 7;
      const value = wire === 0 ? varint() : take(wire === 1 ? 8 : wire === 5 ? 4 : Number(varint()));
      this.#fields.push({ number: key >> 3, value });
    }
  }

  all(number: number): Buffer[] {
    return this.#fields.flatMap((field) =>
      field.number === number && Buffer.isBuffer(field.value) ? [field.value] : [],
    );
  }

  messages(number: number): Message[] {
    return this.all(number).map((bytes) => new Message(bytes));
  }

  bytes(number: number): Buffer | undefined {
    return this.all(number)[0];
  }

  text(number: number): string {
    return this.bytes(number)?.toString() ?? '';
  }

  number(number: number): number | undefined {
    const value = this.#fields.find((field) => field.number === number)?.value;
    return typeof value === 'bigint' ? Number(value) : undefined;
  }
}

const KINDS = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'];
const ERROR = 2;

/** https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/trace/v1/trace.proto */
function spansIn(body: Buffer): CollectedSpan[] {
  return new Message(body).messages(1).flatMap((resourceSpans) => {
    const [resource] = resourceSpans.messages(1);
    const service = String(attributesIn(resource?.messages(1) ?? [])['service.name']);
    return resourceSpans.messages(2).flatMap((scopeSpans) =>
      scopeSpans.messages(2).map((span) => ({
        service,
        traceId: hex(span, 1),
        spanId: hex(span, 2),
        parentSpanId: hex(span, 4),
        name: span.text(5),
        kind: KINDS[span.number(6) ?? 0] ?? '',
        startMs: milliseconds(span, 7),
        endMs: milliseconds(span, 8),
        attributes: attributesIn(span.messages(9)),
        links: span
          .messages(13)
          .map((link) => ({ traceId: hex(link, 1), spanId: hex(link, 2), traceState: link.text(3) })),
        isError: span.messages(15)[0]?.number(3) === ERROR,
      })),
    );
  });
}

const hex = (message: Message, number: number): string => message.bytes(number)?.toString('hex') ?? '';

function milliseconds(message: Message, number: number): number {
  return Number(message.bytes(number)?.readBigUInt64LE() ?? 0n) / 1e6;
}

function attributesIn(pairs: Message[]): CollectedSpan['attributes'] {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [value] = pair.messages(2);
      const double = value?.bytes(4)?.readDoubleLE();
      const isTrue = value?.number(2);
      return [
        pair.text(1),
        value?.bytes(1)?.toString() ??
          value?.number(3) ??
          double ??
          (isTrue === undefined ? '' : isTrue === 1),
      ];
    }),
  );
}
