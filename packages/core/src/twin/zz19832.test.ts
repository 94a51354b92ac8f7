import { it } from 'vitest';
import { library, parseScenario, startScenario } from '/work/wt/twsearch/packages/core/src/scenario/index.js';
import { RecordingPolicy, follow } from '/work/wt/twsearch/packages/core/src/debug/explore/recording-policy.js';
import { randomChooser, pctChooser } from '/work/wt/twsearch/packages/core/src/debug/explore/choosers.js';
import { decisionsOf, hold, coverageOf } from '/work/wt/twsearch/packages/core/src/twin/hold/index.js';
const whole = { config: 'whole', pleg: 'whole', sync: 'whole', call: 'whole', kill: 'whole', restart: 'whole', status: 'whole', event: 'whole' } as const;
it('x', () => {
  for (const e of library) {
    if (!/^(slow-runtime|unfair-select|crash-loop|config-error|create-error|memory-pressure|runtime-stopped|kubelet-restart|kubelet-crash|liveness|readiness|startup-probe|flapping-probe|graceful-delete|pre-stop-hangs|stop-error|same-uid-again|update-in-place|container-killed|sandbox-killed|init-failing|node-shutdown|preemption|mirror-pod|api-pod)$/.test(e.name)) continue;
    const sc = parseScenario(e.text, 'x');
    const go = (chooser: any) => {
      const recs: any[] = [];
      const p = new RecordingPolicy(sc.seed, chooser);
      const run = startScenario(sc, { policy: p, sink: r => recs.push(r) });
      while (!run.done && run.kernel.now() < 120e6) run.step();
      return { recs, p, time: run.kernel.now(), steps: run.kernel.steps };
    };
    const t0 = performance.now();
    const base = go(follow([]));
    const t1 = performance.now();
    const bd = decisionsOf(base.recs);
    const t2 = performance.now();
    const N = 40; let differ = 0; const firsts: any = {}; let th = 0;
    for (let i = 0; i < N; i++) {
      const t = go(i % 2 ? randomChooser(i + 1, [0.02, 0.1, 0.4][i % 3] as number) : pctChooser(i + 1, 3, base.p.points.length));
      const d = decisionsOf(t.recs);
      const h0 = performance.now();
      const v = hold(d, bd, { coverage: whole, until: t.time });
      th += performance.now() - h0;
      if (v.differences.length) { differ++; const x = v.differences[0]; const dd = (x.seen ?? x.twin)!; const k = `${x.how} ${dd.kind} ${dd.what} ${x.path ?? ''} ${x.chance ?? ''}`; firsts[k] = (firsts[k] ?? 0) + 1; }
    }
    console.log(e.name, 's', (base.time / 1e6).toFixed(0), 'recs', base.recs.length, 'run ms', (t1 - t0).toFixed(0), 'dec', bd.length, 'ms', (t2 - t1).toFixed(0), 'hold ms', (th / N).toFixed(1), 'points', base.p.points.length, 'sel', base.p.points.filter(x => x.kind === 'select').length, 'DIFFER', differ, '/', N, JSON.stringify(firsts));
  }
}, 600000);
