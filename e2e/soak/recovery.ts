import { type Answer, ask, askFilled, askSigned, askVerified } from '../callers.ts';
import type { Deployment, ServiceProcess } from '../service.ts';
import { killAll } from '../vitals.ts';

const ROUNDS = 5;
const RECOVERY_MS_MAX = 10_000;

/** Whether the only worker of each kind, killed and started again, answers the next request within seconds. Needs one of each. */
export async function measureRecovery(service: Deployment): Promise<boolean> {
  const key = await service.register();
  const url = () => service.gateways.at(-1)?.url ?? service.url;
  const signed = await askSigned(service.url, key);
  const kinds: Record<string, [ServiceProcess[], () => Promise<unknown>, () => Promise<Answer>]> = {
    converter: [service.converters, service.addConverter, () => ask(url(), key)],
    annotator: [service.annotators, service.addAnnotator, () => askFilled(url(), key, [], 'docx')],
    signer: [service.signers, service.addSigner, () => askSigned(url(), key)],
    verifier: [service.verifiers, service.addVerifier, () => askVerified(url(), key, signed)],
    gateway: [service.gateways, service.addGateway, () => ask(url(), key)],
  };
  const table: Record<string, object> = {};
  let isQuick = true;
  for (const [name, [processes, add, send]] of Object.entries(kinds)) {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      await send();
      await killAll(processes);
      const startedAt = performance.now();
      const adding = add();
      if (name === 'gateway') await adding;
      const [answer] = await Promise.all([send(), adding]);
      times.push(Math.round(performance.now() - startedAt));
      isQuick &&= answer.status === 200;
    }
    isQuick &&= Math.max(...times) < RECOVERY_MS_MAX;
    table[name] = { 'median ms': times.sort((a, b) => a - b)[ROUNDS >> 1], 'longest ms': times.at(-1) };
  }
  console.table(table);
  return isQuick;
}
