import { initialState, type NodeState, reduce } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import { recordsOf } from '../../../fixtures/timeline-run.js';
import { CATALOGUES } from '../../../fixtures/words.js';
import { type Lang, parts, type Selection } from '../../../page/ui-store.js';
import { cardOf, type Line } from './card.js';

const say = (lang: Lang, { key, params }: Line): string =>
  CATALOGUES[lang][key].replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = params?.[name];
    return typeof value === 'object' ? say(lang, value) : String(value ?? whole);
  });
const everything = (state: NodeState): Selection[] => [
  ...parts.map((part) => ({ kind: 'part', part }) as const),
  ...Object.keys(state.pods).map((uid) => ({ kind: 'pod', uid }) as const),
  ...Object.keys(state.containers).map((id) => ({ kind: 'container', id }) as const),
  ...Object.keys(state.sandboxes).map((id) => ({ kind: 'sandbox', id }) as const),
  ...Object.values(state.channels).map(({ name }) => ({ kind: 'channel', name }) as const),
  ...Object.values(state.goroutines).map(({ id }) => ({ kind: 'goroutine', id }) as const),
];
const after = (name: string, holds: (state: NodeState) => boolean): NodeState => {
  const state = initialState();
  for (const record of recordsOf(name)) {
    reduce(state, record);
    if (holds(state)) return state;
  }
  throw new Error(`never so in ${name}`);
};
const texts = (state: NodeState, selection: Selection): string =>
  [...(cardOf(state, selection)?.state ?? [])].map((l) => say('en', l)).join(' ');

describe('the card of what is selected', () => {
  it('has sentences for whatever there is, at any moment, in both languages', () => {
    const used = new Set<string>();
    for (const name of ['hello', 'crash-loop', 'liveness']) {
      const state = initialState();
      for (const [i, record] of recordsOf(name).entries()) {
        reduce(state, record);
        if (i % 331 !== 0) continue;
        for (const selection of everything(state)) {
          const card = cardOf(state, selection);
          const where = `${name} #${record.seq} ${JSON.stringify(selection)}`;
          expect(card, where).not.toBeNull();
          for (const line of [...(card?.state ?? []), card?.waits, card?.next]) {
            if (!line) continue;
            used.add(line.key);
            for (const lang of ['en', 'zh-CN'] as const)
              expect(say(lang, line), where).not.toMatch(/[{}]|undefined|null|NaN|\[object|[0-9a-f]{20}/);
          }
          expect(card?.state.length, where).toBeGreaterThan(0);
          if (card?.since != null) expect(card.since, where).toBeLessThanOrEqual(state.time);
        }
      }
    }
    expect(used.size).toBeGreaterThan(35);
  });

  it('says of a pod and its container how they are, what they wait for, and what comes', () => {
    const waits = after('crash-loop', (s) =>
      Object.values(s.pods).some((p) => !p.worker?.working && Object.values(p.backoffs).some((b) => b.active)),
    );
    const [pod] = Object.values(waits.pods);
    const [backoff] = Object.values(pod?.backoffs ?? {});
    const card = cardOf(waits, { kind: 'pod', uid: pod?.uid ?? '' }, 5);
    expect(card).toMatchObject({
      since: 5,
      waits: { key: 'card.wait.backoff', params: { container: backoff?.container } },
      next: { key: 'card.next.due' },
    });
    const dead = Object.values(waits.containers).find((c) => c.state === 'exited');
    expect(texts(waits, { kind: 'container', id: dead?.id ?? '' })).toMatch(/^The container has exited \(1\)/);
    expect(cardOf(waits, { kind: 'container', id: dead?.id ?? '' })).toMatchObject({ since: dead?.since });
  });

  it('knows the probe of a probe worker', () => {
    const probed = after(
      'liveness',
      (s) =>
        Object.values(s.goroutines).some((g) => g.name.startsWith('probe liveness')) &&
        Object.values(s.pods).some((p) => Object.values(p.probes).some((x) => x.outcome === 'success')),
    );
    const worker = Object.values(probed.goroutines).find((g) => g.name.startsWith('probe liveness'));
    expect(texts(probed, { kind: 'goroutine', id: worker?.id ?? 0 })).toMatch(
      /The last liveness probe of \w+: success/,
    );
  });

  it('tells a timer by its next tick, and a thing that is gone by nothing', () => {
    const state = after('hello', (s) => s.counts.iterations > 4);
    const c = Object.values(state.channels).find((x) => x.name === 'syncCh');
    const card = cardOf(state, { kind: 'channel', name: 'syncCh' });
    if (c?.items.length === 0) expect(card?.next?.key).toBe('card.channel.tick');
    else expect(card?.next?.key).toBe('card.channel.takes');
    expect(cardOf(state, { kind: 'pod', uid: 'none' })).toBeNull();
    expect(cardOf(state, { kind: 'channel', name: 'none' })).toBeNull();
  });
});
