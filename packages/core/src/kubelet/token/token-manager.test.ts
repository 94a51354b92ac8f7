import { describe, expect, it } from 'vitest';
import type { TokenRequestObject } from '../../api/cluster-types.js';
import { toTime } from '../../api/time.js';
import { Kernel, Minute, Second } from '../../kernel/index.js';
import { TokenManager } from './token-manager.js';

function setup(expirationSeconds = 3600) {
  const k = new Kernel({ seed: 5 });
  const asked: string[] = [];
  const server = { fail: false };
  const manager = new TokenManager(k, {
    *createToken(_ctx, namespace, name, request) {
      asked.push(`${namespace}/${name} ${request.spec.audiences}`);
      if (server.fail) throw new Error('connection refused');
      const expirationTimestamp = toTime(k, k.now() + request.spec.expirationSeconds * Second);
      return { ...request, status: { token: `token ${asked.length}`, expirationTimestamp } };
    },
  });
  k.go('start', function* () {
    manager.start();
  });
  const request = (uid = 'u1', audiences = ['a']): TokenRequestObject => ({
    spec: { audiences, expirationSeconds, boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'web', uid } },
  });
  const get = (r = request()): string => {
    let out = 'never';
    k.go('get', function* () {
      try {
        out = (yield* manager.getServiceAccountToken('ns', 'sa', r)).status?.token ?? 'none';
      } catch (err) {
        out = `error: ${(err as Error).message}`;
      }
    });
    k.run({ until: k.now() + 100 });
    return out;
  };
  const at = (time: number) => k.run({ until: time });
  return { k, manager, asked, server, request, get, at };
}

describe('TokenManager', () => {
  it('keeps a token until a fifth of its time is left, give or take ten seconds', () => {
    const t = setup();
    expect([t.get(), t.get()]).toEqual(['token 1', 'token 1']);
    t.at(48 * Minute - 11 * Second);
    expect(t.get()).toBe('token 1');
    t.at(48 * Minute + Second);
    expect(t.get()).toBe('token 2');
    expect(t.asked).toEqual(['ns/sa a', 'ns/sa a']);
  });

  it('keeps none longer than a day', () => {
    const t = setup(7 * 24 * 3600);
    t.get();
    t.at(24 * 60 * Minute - 11 * Second);
    expect(t.get()).toBe('token 1');
    t.at(24 * 60 * Minute + Second);
    expect(t.get()).toBe('token 2');
  });

  it('makes do with the old one while it holds, and says so when it does not', () => {
    const t = setup();
    t.get();
    t.server.fail = true;
    t.at(55 * Minute);
    expect(t.get()).toBe('token 1');
    t.at(60 * Minute + 500_000);
    // An expired token is forgotten once a minute; before that it is known to be expired.
    expect(t.get()).toMatch(/^error: (token .* expired and refresh failed|failed to fetch token): connection refused$/);
    expect(setupFailing().get()).toBe('error: failed to fetch token: connection refused');
  });

  it('keeps them apart by audience and pod, and forgets those of a pod that is gone', () => {
    const t = setup();
    expect([t.get(), t.get(t.request('u2')), t.get(t.request('u1', ['b']))]).toEqual(['token 1', 'token 2', 'token 3']);
    t.manager.deleteServiceAccountToken('u1');
    expect([t.get(), t.get(t.request('u2'))]).toEqual(['token 4', 'token 2']);
  });
});

function setupFailing() {
  const t = setup();
  t.server.fail = true;
  return t;
}
