import { memoryOf, processTree } from '@scriptorium/testing/processes';
import { filesInFolders, redisCommand } from '../remains.ts';
import type { Deployment } from '../service.ts';
import { childrenOf, descriptorsOf, residentMiB } from '../vitals.ts';

/** Values that must not grow while a service runs. */
export interface VitalSigns {
  gatewayMiB: number;
  /** The converter and its engines; a shared page counts once. */
  converterMiB: number;
  redisMiB: number;
  descriptors: number;
  processes: number;
  files: number;
}

/** How far each may exceed its earlier mean, by share and by amount: current work counts too. */
const SLACK: Record<keyof VitalSigns, { share: number; amount: number }> = {
  gatewayMiB: { share: 0.1, amount: 25 },
  converterMiB: { share: 0.1, amount: 40 },
  redisMiB: { share: 0.1, amount: 5 },
  descriptors: { share: 0, amount: 20 },
  processes: { share: 0, amount: 2 },
  files: { share: 0, amount: 20 },
};

export function takeVitalSigns(service: Deployment): VitalSigns {
  const [converter] = service.converters;
  if (converter === undefined) throw new Error('there is no converter');
  const usedMemory = /^used_memory:(\d+)/m.exec(redisCommand(service, 'INFO', 'memory'))?.[1];
  return {
    gatewayMiB: residentMiB(service.gateway),
    converterMiB: memoryOf(processTree(converter.child.pid)).pssMiB,
    redisMiB: Number(usedMemory) / 2 ** 20,
    descriptors: descriptorsOf(service.gateway) + descriptorsOf(converter),
    processes: childrenOf(converter).length,
    files: filesInFolders(service).length,
  };
}

/** The values that have grown from the second quarter of a run (the first is warm-up) to its last. */
export function growth(signs: readonly VitalSigns[]): string[] {
  const quarter = Math.max(1, Math.floor(signs.length / 4));
  const early = signs.slice(quarter, 2 * quarter);
  const late = signs.slice(-quarter);
  return (Object.keys(SLACK) as (keyof VitalSigns)[]).flatMap((name) => {
    const before = mean(early.map((sign) => sign[name]));
    const after = mean(late.map((sign) => sign[name]));
    const { share, amount } = SLACK[name];
    return after > before * (1 + share) + amount
      ? [`${name} grew from ${before.toFixed(0)} to ${after.toFixed(0)}`]
      : [];
  });
}

const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
