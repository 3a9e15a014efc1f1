/** Bodies that are kept in the database beside the store are no longer than this. */
const TEXT_MAX = 65_536;
const INPUTS = new Set(['document', 'documents', 'rows']);

/**
 * The body of a request that names its documents by addresses and has no values. It may be in the database, sealed, so that the
 * request runs again if the store loses it. Undefined for others: they hold documents, data or names.
 */
export function addressesOnly(operation: string, sent: unknown, text: string): string | undefined {
  if (!HOLDS_NO_VALUE.has(operation) || text.length > TEXT_MAX) return undefined;
  if (typeof sent !== 'object' || sent === null) return undefined;
  const isOnly = Object.entries(sent).every(([key, value]) =>
    INPUTS.has(key) ? [value].flat().every(isAddress) : key === 'deliver' || key === 'options',
  );
  return isOnly ? text : undefined;
}

/** Operations whose options say how a document looks, and no more. */
const HOLDS_NO_VALUE = new Set(['convert', 'merge', 'createBatch']);

function isAddress(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { url, ...others } = value as { url?: unknown };
  return typeof url === 'string' && /^https?:/i.test(url) && Object.keys(others).length === 0;
}
