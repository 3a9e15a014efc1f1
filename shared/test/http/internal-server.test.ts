import { connect } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { parsePage } from '@scriptorium/testing/prometheus-text';
import {
  type InternalServer,
  type ReadinessChecks,
  startInternalServer,
} from '../../src/http/internal-server.ts';
import { createMetrics } from '../../src/metrics/metrics.ts';

const HERE = { INTERNAL_HOST: '127.0.0.1', INTERNAL_PORT: 0 };
const servers: InternalServer[] = [];

async function serve(needs: ReadinessChecks = {}) {
  const server = await startInternalServer(HERE, createMetrics('scribe', '0.0.0'), needs);
  servers.push(server);
  const ask = async (path: string, method = 'GET') => {
    const answer = await fetch(`http://${server.address}${path}`, { method });
    return { code: answer.status, headers: answer.headers, text: await answer.text() };
  };
  const ready = async () => {
    const { code, text } = await ask('/readyz');
    return { code, ...(JSON.parse(text) as { status: string; checks: object }) };
  };
  return { server, ask, ready };
}
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

describe('the internal server', () => {
  test('serves a page for Prometheus that must not be cached', async () => {
    const { ask } = await serve();
    const { code, headers, text } = await ask('/metrics?from=somewhere');
    expect(code).toBe(200);
    expect(headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(parsePage(text).has('scriptorium_build_info')).toBe(true);
  });

  test('reports liveness even if dependencies are missing', async () => {
    const { ask } = await serve({ ink: () => Promise.reject(new Error('spilt')) });
    expect(await ask('/livez')).toMatchObject({ code: 200, text: '{"status":"ok"}' });
  });

  test('reports readiness, and lists checks that throw, reject or hang', async () => {
    const needs: ReadinessChecks = { ink: () => undefined, quill: async () => 'sharp' };
    const { ready } = await serve(needs);
    expect(await ready()).toEqual({ code: 200, status: 'ok', checks: { ink: 'up', quill: 'up' } });
    needs.ink = () => {
      throw new Error('spilt');
    };
    needs.light = () => Promise.reject(new Error('dark'));
    needs.scribe = () => new Promise(() => undefined);
    expect(await ready()).toEqual({
      code: 503,
      status: 'unavailable',
      checks: { ink: 'down', quill: 'up', light: 'down', scribe: 'down' },
    });
  });

  test('does not reveal why a check failed', async () => {
    const { ask } = await serve({ ink: () => Promise.reject(new Error('redis://user:secret@host')) });
    expect((await ask('/readyz')).text).not.toContain('secret');
  });

  test('reports that it is not ready while the process closes', async () => {
    const { server, ask, ready } = await serve({ ink: () => undefined });
    await server.readiness.close();
    expect(await ready()).toEqual({ code: 503, status: 'closing', checks: { ink: 'up' } });
    expect((await ask('/livez')).code).toBe(200);
    expect((await ask('/metrics')).code).toBe(200);
  });

  test('has no other routes and accepts only GET and HEAD', async () => {
    const { ask } = await serve();
    expect((await ask('/')).code).toBe(404);
    expect((await ask('/metrics/')).code).toBe(404);
    const posted = await ask('/metrics', 'POST');
    expect([posted.code, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect(await ask('/readyz', 'HEAD')).toMatchObject({ code: 200, text: '' });
  });

  test('closes even if a connection is kept open', async () => {
    const { server } = await serve();
    const [hostname = '', port = ''] = server.address.split(':');
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    await new Promise((resolve) => socket.once('connect', resolve));
    const ended = new Promise((resolve) => socket.once('close', resolve));
    await servers.pop()?.close();
    await ended;
    await expect(fetch(`http://${server.address}/livez`)).rejects.toThrow();
  });

  test('fails to start if its port is in use', async () => {
    const { server } = await serve();
    const taken = { ...HERE, INTERNAL_PORT: Number(server.address.split(':')[1]) };
    const again = startInternalServer(taken, createMetrics('scribe', '0.0.0'), {});
    await expect(again).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});
