/** The request of a pod, and its target utilization. */
export interface Pod {
  cores: number;
  utilization: number;
}

/** Pods for a rate of requests that each take this much CPU time. */
export function podsFor(perSecond: number, cpuSeconds: number, { cores, utilization }: Pod): number {
  // A product of 0.3 can be 0.30000000000000004, which must not add a pod.
  const needed = (perSecond * cpuSeconds) / (cores * utilization);
  return Math.ceil(Number(needed.toPrecision(12)));
}

/** The share of requests that wait, with this many slots for an `offered` load (Erlang C; M/M/c). */
export function shareWaiting(slots: number, offered: number): number {
  if (offered >= slots) return 1;
  let blocked = 1;
  for (let slot = 1; slot <= slots; slot++) blocked = (offered * blocked) / (slot + offered * blocked);
  return blocked / (1 - (offered / slots) * (1 - blocked));
}

/** Mean waiting time of a request for a slot, in multiples of its own run time. */
export function meanWait(slots: number, utilization: number): number {
  return shareWaiting(slots, slots * utilization) / (slots * (1 - utilization));
}
