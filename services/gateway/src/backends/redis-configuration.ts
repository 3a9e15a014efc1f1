import type { Redis } from 'ioredis';

/**
 * Returns the mistakes in the configuration of the server. Documents must not reach a disk, and jobs must not be evicted.
 * The list is also empty if the configuration cannot be read (managed Redis forbids CONFIG).
 */
export async function misconfigurations(redis: Redis): Promise<string[]> {
  const read = async (name: string): Promise<string | undefined> => {
    const reply = (await redis.config('GET', name).catch(undefinedWhereForbidden)) as string[] | undefined;
    return reply?.[1];
  };
  const [save, appendOnly, policy] = await Promise.all([
    read('save'),
    read('appendonly'),
    read('maxmemory-policy'),
  ]);
  const mistakes: string[] = [];
  if (save) mistakes.push('save must be "" (documents must not reach a disk)');
  if (appendOnly === 'yes') mistakes.push('appendonly must be no (documents must not reach a disk)');
  if (policy !== undefined && policy !== 'noeviction')
    mistakes.push('maxmemory-policy must be noeviction (jobs must not be evicted)');
  return mistakes;
}

/** Ignores the error of a server that rejects the command. Other errors mean that the configuration is unknown. */
function undefinedWhereForbidden(error: Error): undefined {
  if (error.name !== 'ReplyError') throw error;
}
