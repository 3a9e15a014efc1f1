import type { ClientBase } from 'pg';
import type { UsageEntry } from './usage-inbox.ts';

/** Maximum number of unregistered license keys that are counted separately. Any client can invent keys. */
const UNREGISTERED_MAX = 10_000;
/** Maximum number of values that are counted separately for one metadata key of a license. */
const VALUES_MAX = 1_000;
const OTHER_VALUES = '(other)';
const OTHER_LICENSES = '';

/** The entry's occurrences, and the ids of the slices to count them in. The first is the license as a whole. */
export interface SlicedEntry {
  occurrences: [at: number, document: string][];
  slices: [whole: number, ...labels: number[]];
  /** True if a repeated occurrence is the same one, and not another open. */
  isOnce: boolean;
}

interface License {
  id: number;
  metadataKeys: Set<string>;
}

interface Slice {
  license: number;
  name: string;
  value: string;
}

interface Draft {
  entry: UsageEntry;
  slices: [Slice, ...Slice[]];
}

/**
 * Finds the slices of each entry, and adds new licenses, owners and values. Only one transaction at a time may call
 * this. Only the configured metadata keys of a license are counted; others are ignored.
 */
export async function sliceEntries(
  client: ClientBase,
  entries: readonly UsageEntry[],
): Promise<SlicedEntry[]> {
  const [licenses, owners] = [await findLicenses(client, entries), await findOwners(client, entries)];
  const drafts = entries.map((entry): Draft => {
    const license = 'owner' in entry ? owners.get(entry.owner) : licenses.get(entry.license);
    if (license === undefined) throw new Error('a license was not found');
    return { entry, slices: [{ license: license.id, name: '', value: '' }, ...labelsOf(entry, license)] };
  });
  const ids = await findSlices(
    client,
    drafts.flatMap((draft) => draft.slices),
  );
  return drafts.map(({ entry, slices: [whole, ...labels] }) => ({
    occurrences: 'owner' in entry ? [entry.request] : entry.opens,
    slices: [ids(whole), ...new Set(labels.map(ids))],
    isOnce: 'owner' in entry,
  }));
}

function labelsOf(entry: UsageEntry, { id, metadataKeys }: License): Slice[] {
  if ('owner' in entry) return [{ license: id, name: 'operation', value: entry.operation }];
  return (entry.metadata ?? [])
    .filter(([key]) => metadataKeys.has(key))
    .map(([key, value]) => ({ license: id, name: `metadata.${key}`, value }));
}

async function findLicenses(
  client: ClientBase,
  entries: readonly UsageEntry[],
): Promise<Map<string, License>> {
  const keys = [...new Set(entries.flatMap((entry) => ('owner' in entry ? [] : [entry.license])))];
  const found = await readLicenses(client, [...keys, OTHER_LICENSES]);
  const unknown = keys.filter((key) => !found.has(key));
  if (unknown.length === 0) return found;
  await client.query(
    `INSERT INTO licenses (key)
     SELECT key FROM unnest($1::text[]) key ORDER BY key
     LIMIT greatest(0, $2 - (SELECT count(*) FROM licenses WHERE registered_at IS NULL AND key IS NOT NULL))
     ON CONFLICT DO NOTHING`,
    [unknown, UNREGISTERED_MAX],
  );
  const added = await readLicenses(client, unknown);
  const others = found.get(OTHER_LICENSES);
  for (const key of unknown) {
    const license = added.get(key) ?? others;
    if (license !== undefined) found.set(key, license);
  }
  return found;
}

async function readLicenses(client: ClientBase, keys: readonly string[]): Promise<Map<string, License>> {
  const { rows } = await client.query<{ id: number; key: string; metadata_keys: string[] }>(
    'SELECT id, key, metadata_keys FROM licenses WHERE key = ANY($1)',
    [keys],
  );
  return new Map(rows.map((row) => [row.key, { id: row.id, metadataKeys: new Set(row.metadata_keys) }]));
}

async function findOwners(client: ClientBase, entries: readonly UsageEntry[]): Promise<Map<string, License>> {
  const owners = [...new Set(entries.flatMap((entry) => ('owner' in entry ? [entry.owner] : [])))];
  if (owners.length === 0) return new Map();
  await client.query(
    `INSERT INTO licenses (owner_hash, registered_at)
     SELECT decode(owner, 'hex'), now() FROM unnest($1::text[]) owner
     WHERE NOT EXISTS (SELECT 1 FROM licenses WHERE key IS NULL AND owner_hash = decode(owner, 'hex'))`,
    [owners],
  );
  const { rows } = await client.query<{ id: number; owner: string }>(
    `SELECT id, encode(owner_hash, 'hex') AS owner FROM licenses
     WHERE key IS NULL AND owner_hash IN (SELECT decode(owner, 'hex') FROM unnest($1::text[]) owner)`,
    [owners],
  );
  return new Map(rows.map(({ id, owner }) => [owner, { id, metadataKeys: new Set() }]));
}

const nameOf = ({ license, name, value }: Slice): string => `${license} ${name}\0${value}`;

/** Returns a function from each of these slices to its id. */
async function findSlices(client: ClientBase, wanted: readonly Slice[]): Promise<(slice: Slice) => number> {
  const slices = [...new Map(wanted.map((slice) => [nameOf(slice), slice])).values()];
  const ids = await readSlices(client, slices);
  const unknown = slices.filter((slice) => !ids.has(nameOf(slice)));
  if (unknown.length > 0) {
    const added = await withinValuesMax(client, unknown);
    await client.query(
      // Inserts only missing rows, because a conflict uses up one of 2^31 ids.
      `INSERT INTO usage_slices (license_id, name, value)
       SELECT DISTINCT * FROM unnest($1::int[], $2::text[], $3::text[]) AS wanted (license_id, name, value)
       WHERE NOT EXISTS (SELECT 1 FROM usage_slices s
         WHERE (s.license_id, s.name, s.value) = (wanted.license_id, wanted.name, wanted.value))
       ON CONFLICT DO NOTHING`,
      columnsOf(added),
    );
    for (const [name, id] of await readSlices(client, added)) ids.set(name, id);
  }
  return (slice) => {
    const id = ids.get(nameOf(slice)) ?? ids.get(nameOf({ ...slice, value: OTHER_VALUES }));
    if (id === undefined) throw new Error('a slice was not found');
    return id;
  };
}

const columnsOf = (slices: readonly Slice[]): unknown[] => [
  slices.map(({ license }) => license),
  slices.map(({ name }) => name),
  slices.map(({ value }) => value),
];

async function readSlices(client: ClientBase, slices: readonly Slice[]): Promise<Map<string, number>> {
  const { rows } = await client.query<Slice & { id: number }>(
    `SELECT id, license_id AS license, name, value
     FROM usage_slices JOIN unnest($1::int[], $2::text[], $3::text[]) AS wanted (license_id, name, value)
     USING (license_id, name, value)`,
    columnsOf(slices),
  );
  return new Map(rows.map((row) => [nameOf(row), row.id]));
}

/** The slices within the maximum, and one for the excess values of a key. */
async function withinValuesMax(client: ClientBase, slices: readonly Slice[]): Promise<Slice[]> {
  const { rows } = await client.query<{ license: number; name: string; count: string }>(
    `SELECT license_id AS license, name, count(*) FROM usage_slices
     WHERE (license_id, name) IN (SELECT * FROM unnest($1::int[], $2::text[])) GROUP BY license_id, name`,
    columnsOf(slices).slice(0, 2),
  );
  const counts = new Map(rows.map(({ license, name, count }) => [`${license} ${name}`, Number(count)]));
  return slices.map((slice) => {
    const group = `${slice.license} ${slice.name}`;
    const count = counts.get(group) ?? 0;
    counts.set(group, count + 1);
    return count < VALUES_MAX ? slice : { ...slice, value: OTHER_VALUES };
  });
}
