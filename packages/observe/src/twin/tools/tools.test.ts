import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Json } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import { ObservedSession } from '../../session/index.js';
import { type TwinAnswer, TwinSession } from '../session/index.js';
import { twinTools } from './index.js';

const bytes = gunzipSync(
  readFileSync(
    new URL('../../../../core/testdata/attach/v1.36-v4/static-pod-update/kubelet.v4.log.gz', import.meta.url),
  ),
);

type Ask = (command: Parameters<TwinSession['execute']>[0]) => Promise<TwinAnswer>;
async function opened(): Promise<Ask> {
  const seen = new ObservedSession([
    {
      id: 'log',
      kind: 'log',
      name: 'kubelet.log',
      format: 'log',
      context: { notAfter: Date.UTC(2026, 10, 23), startedMillis: null },
    },
  ]);
  seen.read('log', bytes);
  seen.end('log');
  const session = new TwinSession(seen, async () => twinTools());
  return async (command) => {
    let result: { ok: boolean; value?: Json; error?: string } | null = null;
    session.execute(command, (r) => {
      result = r;
    });
    while (!result) {
      await null;
      let left = 256;
      session.pump(0, () => left-- <= 0);
    }
    expect(result).toMatchObject({ ok: true });
    return (result as { value?: Json }).value as unknown as TwinAnswer;
  };
}

describe('what twins are made with', () => {
  it('makes a twin of a log, runs it and holds it against the log', async () => {
    const ask = await opened();
    const { verdict, ticks, scenario, coverage } = await ask({ do: 'reenact' });
    expect(verdict.compared).toBeGreaterThan(30);
    expect(verdict.same / verdict.compared).toBeGreaterThan(0.95);
    expect(verdict.pairs.length).toBeGreaterThan(20);
    expect(coverage.config).toBe('whole');
    // Both are drawn: the pairs are ticks of both.
    const drawn = { seen: new Set(ticks.seen.map(([, seq]) => seq)), twin: new Set(ticks.twin.map(([, seq]) => seq)) };
    for (const pair of verdict.pairs.slice(0, 5)) {
      expect(drawn.seen.has(pair.seen)).toBe(true);
      expect(drawn.twin.has(pair.twin)).toBe(true);
    }
    expect(scenario.text).toContain('kind: Scenario');
  });

  it('finds a difference that was made, and says that no choice explains it', async () => {
    const ask = await opened();
    const { scenario } = await ask({ do: 'reenact' });
    const text = scenario.text.replace(/image: (\S+)/, 'image: "localhost/other:1"');
    const other = await ask({ do: 'reenact', text });
    expect(other.edited).toBe(true);
    expect(other.verdict.differences.length).toBeGreaterThan(0);
    const searched = await ask({ do: 'chance', tries: 3 });
    expect(searched.chance).toMatchObject({ tried: 3 });
    expect(searched.chance?.text.en).not.toBe('');
    expect(searched.verdict.differences.length).toBeGreaterThan(0);
  });
});
