import type { RestResponse, RestTransport } from '@syncloop/core/api';
import { Kernel } from '@syncloop/core/kernel';
import { describe, expect, it } from 'vitest';
import { Reviews, type Run } from './api-reviews.js';

const attributes = { verb: 'get', subresource: 'metrics', name: 'node1' } as Parameters<
  Reviews['subjectAccessReview']
>[1];
const jane = { name: 'jane', groups: ['dev'] };

/** `answers`: in order, the last again and again. */
function reviews(...answers: (RestResponse | Error)[]) {
  const kernel = new Kernel({ seed: 1 });
  const times: number[] = [];
  const transport: RestTransport = {
    host: 'https://test',
    *request() {
      times.push(kernel.now());
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      if (answer instanceof Error) throw answer;
      return answer as RestResponse;
    },
    *watch() {
      throw new Error('no watches');
    },
  };
  const run: Run = (name, body) =>
    new Promise((resolve, reject) => {
      kernel.go(name, function* () {
        try {
          resolve(yield* body());
        } catch (err) {
          reject(err);
        }
      });
    });
  const made = new Reviews(run, transport, { token: 1000, allowed: 1000, denied: 1000 }, () => 0);
  const ask = async () => {
    const asked = made.subjectAccessReview(jane, attributes).catch((err: Error) => err.message);
    kernel.run({ until: 20_000_000 });
    return await asked;
  };
  return { ask, times };
}
const status = (allowed: boolean, denied = false) => ({ code: 201, body: { status: { allowed, denied } } });
const failure = (code: number) => ({ code, body: { kind: 'Status', message: `no ${code}` } });

describe('reviews', () => {
  it('[3:HTTP-06] are asked for again, at growing intervals, while what went wrong may pass', async () => {
    const t = reviews(failure(500), failure(429), new Error('read: connection reset by peer'), status(true));
    expect(await t.ask()).toBe(true);
    const gaps = t.times.slice(1).map((at, i) => (at - (t.times[i] as number)) / 1000);
    [500, 750, 1125].forEach((least, i) => {
      expect(gaps[i]).toBeGreaterThanOrEqual(least);
      expect(gaps[i]).toBeLessThanOrEqual(least * 1.2 + 1);
    });
  });

  it.each([
    [5, failure(500), 'no 500'],
    [1, failure(403), 'no 403'],
    [1, failure(503), 'no 503'],
    [1, new Error('connect: connection refused'), 'connect: connection refused'],
    [1, status(true, true), 'webhook subject access review returned both allow and deny response'],
    [1, status(false, true), false],
  ])('[3:HTTP-06] are asked for %d times where the answer is always %j', async (times, answer, outcome) => {
    const t = reviews(answer);
    expect(await t.ask()).toBe(outcome);
    expect(t.times).toHaveLength(times);
  });
});
