import type { RestTransport } from '@syncloop/core/api';
import { type Go, Kernel } from '@syncloop/core/kernel';
import { describe, expect, it } from 'vitest';
import { Reviews } from './api-reviews.js';
import { text } from './http.js';
import { SharedAnswers } from './shared-answers.js';

describe('shared answers', () => {
  it('are made once for all who ask at once, and again for who asks later', async () => {
    let now = 0;
    const shared = new SharedAnswers(() => now);
    let made = 0;
    const make = async () => {
      made++;
      await null;
      now += 20;
      return text(200, `${made}`);
    };
    const all = await Promise.all(Array.from({ length: 100 }, () => shared.get('pods', make)));
    expect([made, new Set(all).size]).toEqual([1, 1]);
    // It took 20 ms: for 200 ms nobody has it made again.
    now += 199;
    await shared.get('pods', make);
    expect(made).toBe(1);
    now += 2;
    expect((await shared.get('pods', make)).body).toBe('2');
  });
  it('that cost nothing, or failed, are not kept', async () => {
    let now = 0;
    const shared = new SharedAnswers(() => now);
    let made = 0;
    const cheap = async () => text(200, `${++made}`);
    await shared.get('a', cheap);
    await shared.get('a', cheap);
    expect(made).toBe(2);
    const fails = async () => {
      now += 50;
      throw new Error(`${++made}`);
    };
    await expect(shared.get('a', fails)).rejects.toThrow('3');
    await expect(shared.get('a', fails)).rejects.toThrow('4');
  });
});

describe('token reviews', () => {
  const setup = () => {
    const kernel = new Kernel();
    let incoming = 0;
    let now = 0;
    const transport: RestTransport = {
      host: 'https://test',
      *request(_ctx, { body }) {
        incoming++;
        const { token } = (body as { spec: { token: string } }).spec;
        const status = token.startsWith('good')
          ? { authenticated: true, user: { username: token } }
          : { authenticated: false, error: '[invalid bearer token, token lookup failed]' };
        return { code: 201, body: { status } };
      },
      *watch() {
        throw new Error('no watches');
      },
    };
    const run = <T>(name: string, body: () => Go<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        kernel.go(name, function* () {
          try {
            resolve(yield* body());
          } catch (err) {
            reject(err);
          }
        });
        kernel.run({ until: kernel.now() + 1_000_000 });
      });
    const reviews = new Reviews(run, transport, { token: 120_000, allowed: 1, denied: 1 }, () => now);
    return {
      reviews,
      incoming: () => incoming,
      wait: (millis: number) => {
        now += millis;
      },
    };
  };
  it('ask once for a wrong token that is shown again and again, even at once', async () => {
    const { reviews, incoming, wait } = setup();
    await Promise.allSettled(Array.from({ length: 50 }, () => reviews.tokenReview('bad')));
    expect(incoming()).toBe(1);
    expect(await reviews.tokenReview('bad')).toBeNull();
    expect(incoming()).toBe(1);
    wait(10_001);
    await expect(reviews.tokenReview('bad')).rejects.toThrow('invalid bearer token');
    expect(incoming()).toBe(2);
  });
  it('of thousands of wrong tokens do not push out a right one', async () => {
    const { reviews, incoming } = setup();
    expect((await reviews.tokenReview('good'))?.name).toBe('good');
    for (let i = 0; i < 3000; i++) await reviews.tokenReview(`bad${i}`).catch(() => null);
    const before = incoming();
    expect(reviews.knownToken('good')?.name).toBe('good');
    expect((await reviews.tokenReview('good'))?.name).toBe('good');
    expect(incoming()).toBe(before);
  });
});
