/** What a pod asks for, and the share of it that is to be used when all is well. */
export interface Pod {
  cores: number;
  utilisation: number;
}

/** Pods that a rate needs, of requests that take so much CPU time each. */
export function podsFor(perSecond: number, cpuSeconds: number, { cores, utilisation }: Pod): number {
  // 0.30000000000000004 pods of a product that is 0.3 must not make a pod more.
  const needed = (perSecond * cpuSeconds) / (cores * utilisation);
  return Math.ceil(Number(needed.toPrecision(12)));
}

/** The share of requests that wait where so many slots are free for `offered` at a time (Erlang C; M/M/c). */
export function shareWaiting(slots: number, offered: number): number {
  if (offered >= slots) return 1;
  let blocked = 1;
  for (let slot = 1; slot <= slots; slot++) blocked = (offered * blocked) / (slot + offered * blocked);
  return blocked / (1 - (offered / slots) * (1 - blocked));
}

/** Mean time that a request waits for a slot, in times of its own run. */
export function meanWait(slots: number, utilisation: number): number {
  return shareWaiting(slots, slots * utilisation) / (slots * (1 - utilisation));
}
