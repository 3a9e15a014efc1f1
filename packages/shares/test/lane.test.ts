import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { type LaneJob, MustWait, SlowLane, type SlowLaneSettings, type Turn } from '../src/lane.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const sleep = (ms: number) => jest.advanceTimersByTimeAsync(ms);

/** Owners whose jobs wait in the queue. */
const waiting = new Set<string>();

function open(settings: Partial<SlowLaneSettings> = {}) {
  const events: string[] = [];
  const lane = new SlowLane({
    slots: 2,
    afterMs: 1_000,
    documentsMax: 2,
    onEvent: (event) => events.push(event),
    ...settings,
  });
  const places = { extra: 0 };
  const enter = (owner: string, more: Partial<LaneJob> = {}): Turn => {
    const turn = lane.enter({
      ...{ owner, isOverBudget: false, starts: 1 },
      stepAside: () => void places.extra++,
      anotherWaits: async () => [...waiting].some((other) => other !== owner),
      ...more,
    });
    turn.start();
    return turn;
  };
  return { lane, enter, events, places };
}

const slowOnes = (turns: readonly Turn[]) => turns.map(({ slow }) => slow.aborted);

describe('a document in the lane', () => {
  test('gives its slot up once it has run for the set time, and not before', async () => {
    const { lane, enter, places } = open();
    const turn = enter('ada');
    await sleep(800);
    expect([turn.slow.aborted, places.extra, lane.slowCount]).toEqual([false, 0, 0]);
    await sleep(400);
    expect([turn.slow.aborted, places.extra, lane.slowCount]).toEqual([true, 1, 1]);
    turn.end();
    expect(lane.slowCount).toBe(0);
  });

  test('gives its slot up earlier if no slot is free and another owner waits', async () => {
    const { enter } = open({ afterMs: 60_000 });
    const turns = [enter('ada'), enter('ada')];
    await sleep(1_200);
    expect(slowOnes(turns)).toEqual([false, false]);
    waiting.add('ben');
    await sleep(700);
    waiting.clear();
    expect(slowOnes(turns)).toContain(true);
    for (const turn of turns) turn.end();
  });

  test('keeps its slot while the lane is full and nobody else waits', async () => {
    const { enter, events } = open({ documentsMax: 1 });
    const turns = [enter('ada'), enter('ada')];
    await sleep(2_200);
    expect(slowOnes(turns).filter(Boolean)).toHaveLength(1);
    expect(events).toEqual(['slow']);
    for (const turn of turns) turn.end();
  });

  test('is evicted if the lane is full and others wait: the longest one of the owner with most', async () => {
    const { enter, events } = open({ slots: 3 });
    const ben = enter('ben');
    const ada = [enter('ada')];
    await sleep(1_100);
    ada.push(enter('ada', { isOverBudget: true }));
    waiting.add('cleo');
    await sleep(1_700);
    waiting.clear();
    expect(ben.evicted.aborted).toBe(false);
    expect(ada.map(({ evicted }) => evicted.aborted)).toEqual([true, false]);
    expect(ada[0]?.evicted.reason).toMatchObject({ code: 'CONCURRENCY_LIMIT', retryAfterSeconds: 10 });
    expect(events).toContain('evicted');
    for (const turn of [ben, ...ada]) turn.end();
  });
});

describe('an owner with slow documents', () => {
  test('does not get the last free slot while another owner is about', async () => {
    const { lane, enter } = open();
    enter('ben').end();
    const ada = [enter('ada')];
    await sleep(1_200);
    // One slot of two is taken, so that the other one is the last.
    const ben = enter('ben');
    ada.push(enter('ada'));
    expect(slowOnes(ada)).toEqual([true, true]);
    expect(lane.slowCount).toBe(2);
    expect(ben.slow.aborted).toBe(false);
    expect(() => enter('ada')).toThrow(MustWait);
    for (const turn of [ben, ...ada]) turn.end();
  });

  test('gets less of the processor, even in a slot, but only while another owner is about', async () => {
    const { enter } = open({ slots: 3 });
    expect(enter('ada', { isOverBudget: true }).isLow).toBe(false);
    expect(enter('ben').isLow).toBe(false);
    const turn = enter('ada', { isOverBudget: true });
    expect([turn.isLow, turn.slow.aborted]).toEqual([true, true]);
  });

  test('begins a document in the lane that was slow before', () => {
    const { lane, enter } = open();
    const alone = enter('ada');
    lane.expectSlow(alone);
    expect(alone.slow.aborted).toBe(false);
    enter('ben').end();
    lane.expectSlow(alone);
    expect(alone.slow.aborted).toBe(true);
    alone.end();
  });

  test('may use every slot while it is alone', async () => {
    const { enter } = open({ afterMs: 60_000 });
    const turns = [enter('ada', { isOverBudget: true }), enter('ada', { isOverBudget: true })];
    expect(slowOnes(turns)).toEqual([false, false]);
    for (const turn of turns) turn.end();
  });

  test('waits longer each time it is put back, up to a second', () => {
    const { enter } = open({ documentsMax: 1 });
    enter('ben').end();
    const heavy = { isOverBudget: true };
    const turns = [enter('ada', heavy), enter('ada', heavy)];
    const delayAfter = (starts: number): number => {
      try {
        enter('ada', { ...heavy, starts }).end();
      } catch (error) {
        if (error instanceof MustWait) return error.delayMs;
      }
      return Number.NaN;
    };
    expect([1, 2, 3, 99].map(delayAfter)).toEqual([100, 200, 400, 1_000]);
    for (const turn of turns) turn.end();
  });

  test('loses a place to an owner who has none, but only its second one', () => {
    const { enter } = open({ slots: 1 });
    const heavy = { isOverBudget: true };
    enter('ben').end();
    const ada = [enter('ada', heavy), enter('ada', heavy)];
    const ben = enter('ben', heavy);
    expect(ada.filter(({ evicted }) => evicted.aborted)).toHaveLength(1);
    expect(ben.slow.aborted).toBe(true);
    expect(() => enter('cleo', heavy)).toThrow(MustWait);
    for (const turn of [ben, ...ada]) turn.end();
  });
});
