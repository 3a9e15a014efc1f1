import { AppError } from '@scriptorium/contracts/errors';

export interface RegistrationRules {
  REGISTRATION: 'open' | 'domains' | 'closed';
  REGISTRATION_DOMAINS?: string[] | undefined;
}

/** Throws FORBIDDEN unless this address may get a key by mail. */
export function requireRegistration(rules: RegistrationRules, email: string): void {
  if (rules.REGISTRATION === 'open') return;
  if (rules.REGISTRATION === 'closed')
    throw new AppError('FORBIDDEN', 'This service issues no API keys by mail: ask its operator for one.');
  const domain = email.slice(email.lastIndexOf('@') + 1);
  if (!(rules.REGISTRATION_DOMAINS ?? []).some((rule) => matches(rule, domain)))
    throw new AppError('FORBIDDEN', 'Addresses of this domain get no API keys by mail.', {
      details: [{ field: 'email', issue: 'is not of a domain that this service accepts' }],
    });
}

const matches = (rule: string, domain: string): boolean =>
  rule.startsWith('*.') ? domain.endsWith(rule.slice(1)) : domain === rule;
