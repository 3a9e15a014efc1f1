import { inspect } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import {
  ConfigError,
  commonSettings,
  flag,
  integer,
  loadConfig,
  readWhere,
  redisUrl,
  secret,
} from '../src/config.ts';

const schema = z.object({
  COUNT: integer(1, 9).default(3),
  NAME: z.string(),
  PASSWORD: secret(8),
  IS_ON: flag().default(false),
  REDIS: redisUrl().optional(),
});

const mistakesIn = (environment: NodeJS.ProcessEnv): string[] => {
  try {
    loadConfig(schema, environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes;
  }
  return [];
};

describe('settings', () => {
  test('are parsed, with defaults for empty and missing values', () => {
    const config = loadConfig(schema, { NAME: 'n', PASSWORD: 'long enough', COUNT: '', IS_ON: 'true' });
    expect(config.COUNT).toBe(3);
    expect(config.IS_ON).toBe(true);
    expect(config.PASSWORD.reveal()).toBe('long enough');
    expect(Object.isFrozen(config)).toBe(true);
  });

  test('with a condition are ignored without it, even if they are invalid', () => {
    const lamp = z.object({
      LAMP: z.enum(['on', 'off']).default('off'),
      WATTS: readWhere('LAMP', 'on', integer(1, 100).default(40)),
    });
    expect(loadConfig(lamp, { WATTS: 'many' }).WATTS).toBe(40);
    expect(loadConfig(lamp, { LAMP: 'on', WATTS: '60' }).WATTS).toBe(60);
    expect(() => loadConfig(lamp, { LAMP: 'on', WATTS: 'many' })).toThrow('WATTS: must be a whole number');
  });

  test('report all mistakes at once without printing values', () => {
    const mistakes = mistakesIn({ PASSWORD: 'hunter2', COUNT: '12', IS_ON: 'yes', REDIS: 'http://s3cret' });
    expect(mistakes.map((mistake) => mistake.split(/[ :]/)[0])).toEqual([
      'COUNT',
      'NAME',
      'PASSWORD',
      'IS_ON',
      'REDIS',
    ]);
    expect(mistakes.join()).not.toMatch(/hunter2|s3cret/);
  });

  test.each(['1.5', '-1', '1e3', ' 2', '0x2', '99999999999999999999'])('reject %j as an integer', (COUNT) => {
    expect(mistakesIn({ NAME: 'n', PASSWORD: 'long enough', COUNT })).toHaveLength(1);
  });

  test('do not print secrets in any form', () => {
    const { PASSWORD } = loadConfig(schema, { NAME: 'n', PASSWORD: 'long enough' });
    expect(
      `${PASSWORD} ${JSON.stringify({ PASSWORD })} ${inspect(PASSWORD, { showHidden: true })}`,
    ).not.toContain('long');
  });
});

test('sentinels are addresses with or without a scheme, and spaces around them', () => {
  const { REDIS_SENTINELS } = commonSettings;
  const read = (text: string) => REDIS_SENTINELS.safeParse(text).data?.reveal();
  expect(read('a:1, b:2,rediss://u:p@c')).toBe('redis://a:1,redis://b:2,rediss://u:p@c');
  for (const wrong of ['a:1,', 'http://a', 'a b']) expect(read(wrong)).toBeUndefined();
});
