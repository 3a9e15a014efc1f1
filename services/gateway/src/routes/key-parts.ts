import { peppersOf } from '../auth/address.ts';
import { createCodeBook } from '../auth/codes.ts';
import type { Backends } from '../backends/backends.ts';
import { createMailRate } from '../mail/mail-rate-limit.ts';
import type { ByteBudget } from '../middleware/byte-budget.ts';
import { rateLimitClient } from '../middleware/rate-limit-client.ts';
import type { GatewayEvents } from '../monitoring/events.ts';
import type { GatewayConfig } from '../settings/config.ts';
import type { KeysParts } from './keys.ts';
import type { RedeemCodeParts } from './redeem-code.ts';

/** The parts of the routes that give and revoke keys. */
export function keyParts(
  config: GatewayConfig,
  backends: Backends,
  budget: ByteBudget,
  events: GatewayEvents,
  stores: Pick<RedeemCodeParts, 'mails' | 'table'> & Pick<KeysParts, 'keys'>,
) {
  const { mails, table, keys } = stores;
  const books = peppersOf(config.CODE_PEPPER).map((pepper) => ({
    pepper,
    codes: createCodeBook(backends.queue, pepper),
  }));
  // Registrations and code checks count together.
  const rateLimit = rateLimitClient(backends.queue, config.REGISTRATIONS_PER_HOUR_MAX, 'registrations');
  const shared = { mails, rateLimit, pepper: config.CODE_PEPPER, rules: config };
  const mailRate = createMailRate(backends.queue, config.MAILS_PER_HOUR_MAX, events.mailsStopped);
  return {
    register: { ...shared, mailRate },
    redeemCode: { ...shared, books, events, table, prefix: config.API_KEY_PREFIX, budget },
    keys: { table, keys, events },
  };
}
