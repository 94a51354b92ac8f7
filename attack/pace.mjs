/**
 * Servers close connections that come too often (apps/agent/src/server/limits.ts). A harness that ran into these limits
 * with each connection would attack nothing but them, so connections that should get in keep below; the floods go
 * beyond.
 */
import { setTimeout as delay } from 'node:timers/promises';

/** Per second. Limits: 600 connects and 60 hellos within ten seconds, some of which the watcher makes. */
const RATES = { connect: 45, hello: 5 };

const clocks = new WeakMap();

/** Waits until one more of them may come to this server (a key of the running target's ports). */
export async function paced(running, server, what) {
  let times = clocks.get(running);
  if (!times) {
    times = new Map();
    clocks.set(running, times);
  }
  const key = `${server} ${what}`;
  const now = performance.now();
  const at = Math.max(now, times.get(key) ?? 0);
  times.set(key, at + 1000 / RATES[what]);
  if (at > now) await delay(at - now);
}
