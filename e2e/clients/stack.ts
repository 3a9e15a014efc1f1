import { readFile } from 'node:fs/promises';
import { mailsTo } from '@scriptorium/testing/mail';
import { transform } from '@swc/core';
import { until } from '../service.ts';

/** A running service, for the suites of the clients. */
export interface Stack {
  url: string;
  key: string;
  /** An empty folder for each suite. */
  folder(): Promise<string>;
}

export const samples = new URL('../../services/gateway/assets/', import.meta.url);

/** Waits for the code that was mailed to an address. */
export async function mailedCode(email: string): Promise<string> {
  let code: string | undefined;
  await until('the code comes by mail', async () => {
    code = /code: (\d{6})/.exec((await mailsTo(email))[0]?.text ?? '')?.[1];
    return code !== undefined;
  });
  return code ?? '';
}

const modules = new URL('../../clients/sdk/src/', import.meta.url);

/** A module of the SDK for browsers. `ending` is that of the modules that it imports. */
export async function clientModule(name: string, ending: '.ts' | '.js'): Promise<string> {
  const text = await readFile(new URL(name, modules), 'utf8');
  const { code } = await transform(text, { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' } });
  return code.replace(/(from '\.\/[\w.-]+)\.ts'/g, `$1${ending}'`);
}
