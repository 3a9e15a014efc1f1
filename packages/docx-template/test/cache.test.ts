import { createHash } from 'node:crypto';
import { afterEach, expect, jest, test } from '@jest/globals';
import { p, run, sdt, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { TemplateCache } from '../src/template/cache.ts';
import { fill, text } from './filling.ts';

afterEach(() => void jest.useRealTimers());

const template = (name: string) => templateOf(p(sdt({ tag: 'x' }, run(name))));

test('filling does not change a cached template, so the next caller gets nothing of earlier values', async () => {
  const cache = new TemplateCache(10_000_000);
  const own = cache.of();
  const source = template('old');
  const first = await fill(source, [text({ id: 'x' }, 'secret of the first')], { flatten: true }, own);
  expect(first.xml()).toContain('secret');
  expect(cache.bytes).toBeGreaterThan(0);
  expect((await fill(source, [], {}, own)).bytes).toEqual(source);
  const second = await fill(Buffer.from(source), [text({ id: 'x' }, 'second')], {}, own);
  expect(second.bytes).toEqual((await fill(source, [text({ id: 'x' }, 'second')])).bytes);
  expect(second.xml()).not.toContain('secret');
});

test('modifying a result does not change the cached template', async () => {
  const own = new TemplateCache(10_000_000).of();
  const source = template('old');
  for (const fields of [[], [text({ id: 'x' }, 'new')], []]) {
    const { bytes } = await fill(source, fields, {}, own);
    bytes.fill(0);
  }
  expect((await fill(source, [text({ id: 'x' }, 'new')], {}, own)).xml()).toContain('new');
});

test('the cache stays within its bound and evicts the least recently used template', async () => {
  const [a, b, c] = [template('a'), template('b'), template('c')];
  const one = (await new TemplateCache(1e9).of().open(a)).memoryBytes;
  const cache = new TemplateCache(2.5 * one);
  const own = cache.of();
  const [openedA, openedB] = [await own.open(a), await own.open(b)];
  expect(await own.open(a)).toBe(openedA);
  await own.open(c);
  expect(cache.bytes).toBeLessThanOrEqual(2.5 * one);
  expect(await own.open(a)).toBe(openedA);
  expect(await own.open(b)).not.toBe(openedB);
});

test('a cache of zero bytes keeps nothing', async () => {
  const cache = new TemplateCache(0);
  const own = cache.of();
  const source = template('a');
  expect(await own.open(source)).not.toBe(await own.open(source));
  expect(cache.bytes).toBe(0);
});

test('the templates of an owner are unknown to another one, who sends the same', async () => {
  const cache = new TemplateCache(10_000_000);
  const source = template('a');
  const opened = await cache.of('ada').open(source);
  const hash = createHash('sha256').update(source).digest('base64url');
  expect(cache.of('ada').known(hash)).toBe(opened);
  expect(cache.of('ben').known(hash)).toBeUndefined();
  expect(await cache.of('ben').open(source)).not.toBe(opened);
  expect(await cache.of('ada').open(source)).toBe(opened);
});

test('the cache forgets a template that was not used for a time', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
  const cache = new TemplateCache(10_000_000, 300);
  const own = cache.of();
  const [used, idle] = [await own.open(template('a')), template('b')];
  await own.open(idle);
  for (let passedMs = 0; passedMs < 700; passedMs += 50) {
    expect(await own.open(template('a'))).toBe(used);
    jest.advanceTimersByTime(50);
  }
  expect(cache.bytes).toBe(used.memoryBytes);
  jest.advanceTimersByTime(800);
  expect(cache.bytes).toBe(0);
});
