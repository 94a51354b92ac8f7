import { it } from 'vitest';
import { findScenario, startScenario } from '../scenario/index.js';
import { RecordStore } from '../debug/record-store.js';
it('dump', () => {
  const store = new RecordStore();
  const run = startScenario(findScenario(process.env.SC ?? 'hello'), { sink: (r) => store.push(r) });
  run.run({ until: Number(process.env.UNTIL ?? 12) * 1e6 });
  const names = new Map(Object.values(store.state.channels).map((c) => [c.id, c.name]));
  for (const r of store.from(1)) {
    const k = r.kind;
    if (['select','wait','chan-make','goroutine-start','log','runtime-state','pod-config','pleg-event','sources-ready','input','process','receive','send','source'].includes(k) || (k==='enter' && /^Handle|sync/.test(r.fn))) {
      const gn = store.state.goroutines[r.g]?.name;
      const x = JSON.stringify({...r, seq: undefined, time: undefined, g: undefined, span: undefined, cause: undefined, cases: (r as any).cases?.map((c: number) => names.get(c)), chan: names.get((r as any).chan)});
      console.log((r.time/1e6).toFixed(3), '#'+r.seq, gn, x.slice(0, 330));
    }
  }
});
