import { describe, expect, test } from '@jest/globals';
import type { ServiceName } from '@scriptorium/contracts/services';
import { SEND_MS_MAX } from '@scriptorium/gateway/settings/limits';
import { loadConfig } from '@scriptorium/shared/config';
import { CLOSE_MS_MAX } from '@scriptorium/shared/lifecycle';
import { answerMsMax } from '@scriptorium/telemetry/service';
import type { z } from 'zod';
import { SERVICE_SETTINGS } from '../../settings.ts';
import { containerOf, environmentOf, podOf, servicesOf } from './deployments.ts';
import { render, VALUE_SETS } from './helm.ts';

describe.each(VALUE_SETS)('with the values `%s`', (example) => {
  const rendering = render(example);

  test('a pod gets more time to stop than its work may take', async () => {
    const deployments = servicesOf(await rendering);
    const settingsOf = (service: ServiceName) =>
      deployments
        .filter((deployment) => containerOf(deployment).name === service)
        .map((deployment) => loadConfig(SERVICE_SETTINGS[service] as z.ZodObject, environmentOf(deployment)));
    const [gateway] = settingsOf('gateway');
    for (const deployment of deployments) {
      const service: string = containerOf(deployment).name;
      const drainMs = Number(environmentOf(deployment).DRAIN_MS ?? 0);
      const readersMs = service === 'gateway' ? SEND_MS_MAX : 0;
      const workMs =
        service === 'telemetry'
          ? answerMsMax(loadConfig(SERVICE_SETTINGS.telemetry, environmentOf(deployment)))
          : Number(gateway?.DEADLINE_MS);
      expect(podOf(deployment).terminationGracePeriodSeconds * 1000).toBeGreaterThanOrEqual(
        drainMs + workMs + readersMs + CLOSE_MS_MAX,
      );
    }
  });
});
