import { expect, test } from '@jest/globals';
import { meanWait, podsFor, shareWaiting } from '../scale/sizing.ts';

const converter = { cores: 2, utilization: 0.7 };

test('a hundred documents per second with 80 ms of CPU time need six pods of two cores at 70 %', () => {
  expect(podsFor(100, 0.08, converter)).toBe(6);
});

test('a rate that fills its pods exactly needs no additional pod', () => {
  expect(podsFor(35, 0.08, converter)).toBe(2);
  expect(podsFor(3, 0.1, { cores: 0.3, utilization: 1 })).toBe(1);
});

test('any rate needs at least one pod', () => {
  expect(podsFor(0.001, 0.001, converter)).toBe(1);
});

test('with one slot, the share of waiting requests equals the utilization', () => {
  expect(shareWaiting(1, 0.7)).toBeCloseTo(0.7);
});

test('the share of waiting requests matches the closed form for two slots', () => {
  // Erlang C for two slots: 2ρ² / (1 + ρ).
  expect(shareWaiting(2, 1.4)).toBeCloseTo((2 * 0.7 ** 2) / 1.7);
});

test('every request waits if the load exceeds the slots', () => {
  expect(shareWaiting(2, 2)).toBe(1);
  expect(meanWait(2, 1)).toBe(Number.POSITIVE_INFINITY);
});

test('at equal utilization, a request waits less with more slots', () => {
  expect(meanWait(2, 0.7)).toBeCloseTo(0.96, 2);
  expect(meanWait(20, 0.7)).toBeLessThan(0.02);
});
