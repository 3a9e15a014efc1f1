import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, ask, isOwn, percentile, startCallers, tally } from '../callers.ts';
import { remainsInFolders, remainsInRedis } from '../remains.ts';
import { type Deployment, until } from '../service.ts';
import { growth, takeVitalSigns, type VitalSigns } from './vital-signs.ts';

const CALIBRATION_MS = 15_000;
const CALLERS = 4;
const SAMPLES = 40;
const LETTER = Array.from({ length: 200 }, (_, i) => `Paragraph ${i} of a letter of a few pages.`);

/** Documents per second that the service converts for callers who always have another one. */
export async function measureCapacity(service: Deployment): Promise<number> {
  const keys = await Promise.all(Array.from({ length: CALLERS }, () => service.register()));
  await Promise.all(keys.map((key) => askAndCheck(service.url, key, 0)));
  const startedAt = Date.now();
  const callers = startCallers(service.url, keys, 0, LETTER);
  await sleep(CALIBRATION_MS);
  const answers = await callers.stop();
  const perSecond = (1_000 * answers.length) / (Date.now() - startedAt);
  console.log(`Capacity: ${perSecond.toFixed(1)} documents a second`);
  return perSecond;
}

/** Whether the service stays stable under an even load: every response correct, nothing growing, nothing left. */
export async function holdSteady(service: Deployment, perSecond: number, minutes: number): Promise<boolean> {
  const keys = await Promise.all(Array.from({ length: CALLERS }, () => service.register()));
  const signs: VitalSigns[] = [];
  let answers: Promise<Checked>[] = [];
  let sent = 0;
  const sending = setInterval(() => {
    answers.push(askAndCheck(service.url, keys[sent % CALLERS] ?? '', sent));
    sent += 1;
  }, 1_000 / perSecond);
  let wrong = 0;
  console.log(`${perSecond.toFixed(1)} documents a second for ${minutes} minutes`);
  for (let sample = 0; sample < SAMPLES; sample++) {
    await sleep((minutes * 60_000) / SAMPLES);
    const sign = takeVitalSigns(service);
    signs.push(sign);
    const batch = answers;
    answers = [];
    wrong += report(await Promise.all(batch), sign);
  }
  clearInterval(sending);
  wrong += (await Promise.all(answers)).filter(({ isRight }) => !isRight).length;
  const grown = growth(signs);
  const left = await whatIsLeft(service);
  console.log(
    `${sent} documents, ${wrong} wrong answers; grown: ${grown.join(', ') || 'nothing'}; left: ${left}`,
  );
  return wrong === 0 && grown.length === 0 && left === 0;
}

interface Checked {
  answer: Answer;
  isRight: boolean;
}

/** Every fourth document is a letter of a few pages. */
async function askAndCheck(url: string, key: string, turn: number): Promise<Checked> {
  const answer = await ask(url, key, turn % 4 === 0 ? LETTER : []);
  const isRight = answer.status === 200 && (await isOwn(answer));
  answer.pdf = undefined;
  return { answer, isRight };
}

/** Returns the number of wrong responses. */
function report(checked: Checked[], signs: VitalSigns): number {
  const ms = checked.map(({ answer }) => answer.ms);
  const figures = Object.entries(signs).map(([name, value]) => `${name} ${value.toFixed(0)}`);
  console.log(
    `${new Date().toISOString()} p50 ${percentile(ms, 0.5).toFixed(0)} ms, p95 ${percentile(ms, 0.95).toFixed(0)} ms,`,
    figures.join(', '),
    tally(checked.map(({ answer }) => answer)),
  );
  return checked.filter(({ isRight }) => !isRight).length;
}

async function whatIsLeft(service: Deployment): Promise<number> {
  const remains = () => remainsInRedis(service).length + remainsInFolders(service).length;
  await until('nothing is left', () => remains() === 0, 10_000).catch(() => undefined);
  return remains();
}
