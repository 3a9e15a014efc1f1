import { describe, expect, test } from '@jest/globals';
import { Ways } from '../../src/batches/ways.ts';

/** Sends a pack, and learns its outcome. Returns its way. */
function send(ways: Ways, outcome: 'same' | 'different' | 'refused' | undefined): string {
  const { way } = ways.next(64);
  ways.sent(way, 4);
  ways.learn(way, outcome === 'refused' ? { compared: undefined, isRefused: true } : { compared: outcome });
  return way;
}

describe('the way of a pack', () => {
  test('is fast after a comparison, and plain after a difference', () => {
    const ways = new Ways();
    expect([
      send(ways, 'same'),
      send(ways, undefined),
      send(ways, 'different'),
      send(ways, undefined),
    ]).toEqual(['both', 'fast', 'fast', 'plain']);
  });

  test('is plain for the rest of a batch once the engine has refused its form', () => {
    const ways = new Ways();
    expect([send(ways, 'refused'), send(ways, undefined), send(ways, 'same')]).toEqual([
      'both',
      'plain',
      'plain',
    ]);
  });
});
