import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Scriptorium, ScriptoriumError } from '@scriptorium/client';
import express, { type ErrorRequestHandler } from 'express';
import { z } from 'zod';

const { SCRIPTORIUM_URL = 'http://127.0.0.1:8080', SCRIPTORIUM_API_KEY = '', PORT = '3000' } = process.env;
const DAY_MS = 86_400_000;

const client = new Scriptorium({ baseUrl: SCRIPTORIUM_URL, apiKey: SCRIPTORIUM_API_KEY });
const template = { path: fileURLToPath(new URL('invoice.docx', import.meta.url)) };
const signer = { name: 'Analytical Engines Ltd', email: 'invoices@example.com' };

const item = z.strictObject({
  name: z.string().min(1).max(200),
  quantity: z.int().positive(),
  /** In cents: sums of decimal fractions are not exact. */
  priceCents: z.int().nonnegative(),
});
const order = z.strictObject({
  number: z.string().regex(/^[\w-]{1,40}$/, 'must have letters, digits and hyphens'),
  customer: z.string().min(1).max(200),
  address: z.string().min(1).max(400),
  note: z.string().max(1_000).default(''),
  items: z.array(item).min(1).max(500),
});

/** Returns what the template shows of an order. */
function invoiceOf({ items, ...rest }: z.output<typeof order>) {
  const lines = items.map(({ name, quantity, priceCents }) => ({
    name,
    quantity,
    price: priceCents / 100,
    amountCents: quantity * priceCents,
  }));
  const totalCents = lines.reduce((sum, { amountCents }) => sum + amountCents, 0);
  return {
    ...rest,
    date: new Date().toISOString(),
    due: new Date(Date.now() + 14 * DAY_MS).toISOString(),
    items: lines.map(({ amountCents, ...line }) => ({ ...line, amount: amountCents / 100 })),
    total: totalCents / 100,
  };
}

const app = express();
app.use(express.json({ limit: '200kb' }));

app.post('/invoices', async (request, response) => {
  const checked = order.safeParse(request.body);
  if (!checked.success) {
    response.status(400).json({ error: z.prettifyError(checked.error) });
    return;
  }
  // A caller who leaves ends the work of the service, too.
  const left = new AbortController();
  response.on('close', () => left.abort());
  const made = await client.generate(template, invoiceOf(checked.data), {
    to: 'pdf',
    // An invoice with a gap is worse than none.
    options: { onMissing: 'error', locale: 'en-GB' },
    sign: { signer, auditTrail: [{ type: 'submit', timestamp: new Date().toISOString() }] },
    signal: left.signal,
  });
  response.type('pdf').attachment(`invoice-${checked.data.number}.pdf`).send(Buffer.from(made.bytes));
});

/** Callers learn whether to try again. Only the log learns why. */
const answerError: ErrorRequestHandler = (error, _request, response, next) => {
  if (response.headersSent || response.closed) return void next(error);
  if (!(error instanceof ScriptoriumError)) return void next(error);
  console.error(`${error.code} ${error.requestId ?? ''}: ${error.message}`, error.details);
  if (error.retryAfterMs !== undefined)
    response.setHeader('Retry-After', Math.ceil(error.retryAfterMs / 1_000));
  response
    .status(error.isRetryable ? 503 : 500)
    .json({ error: 'The invoice could not be made.', requestId: error.requestId });
};
app.use(answerError);

const server = app.listen(Number(PORT), '127.0.0.1');
await once(server, 'listening');
console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
