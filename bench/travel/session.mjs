/**
 * Measures the session as its worker runs it, pumped in slices: `full-node` (110 pods) at some decisions, and the cost
 * there of going back, looking, searching, and acting in the past. ms; `slice` is the longest time without a look
 * around, which is how long a ping waits.
 */
import { SimulationSession, simulationSource } from '@syncloop/core/debug';
import { quantiles, round } from '../web/stage.mjs';

const SLICE = 12;

export function driven(session) {
  let worst = 0;
  session.beginSlice = () => {
    const begun = performance.now();
    return () => performance.now() - begun >= SLICE;
  };
  return {
    /** Works until nothing is left to do; returns the ms that it took. */
    idle() {
      const start = performance.now();
      for (;;) {
        const begun = performance.now();
        if (session.pump(1, () => performance.now() - begun >= SLICE) !== 0) return round(performance.now() - start);
      }
    },
    /** Does a command to its answer; ms that took, and its longest slice. */
    run(command) {
      let result;
      worst = 0;
      const start = performance.now();
      const slice = (act) => {
        const begun = performance.now();
        act(() => performance.now() - begun >= SLICE);
        worst = Math.max(worst, performance.now() - begun);
      };
      slice(() =>
        session.execute(command, (r) => {
          result = r;
        }),
      );
      while (!result) slice((expired) => session.pump(1, expired));
      if (!result.ok) throw new Error(`${JSON.stringify(command)}: ${result.error}`);
      return { millis: performance.now() - start, slice: worst, value: result.value };
    },
  };
}

/** p50 and max of some commands. */
function measured(session, commands) {
  const all = commands.map((command) => session.run(typeof command === 'function' ? command() : command));
  const { p50, max } = quantiles(all.map((a) => a.millis));
  return { n: all.length, p50, max, slice: round(Math.max(...all.map((a) => a.slice))) };
}

const times = (n, command) => Array.from({ length: n }, () => command);

function sessionOf(decisions) {
  const session = new SimulationSession(simulationSource(), { scenario: 'full-node', speed: { mode: 'max' } });
  const s = driven(session);
  const forward = s.run({ do: 'go', to: { step: decisions } });
  return { s, forward, ...session.runState() };
}

/** Returns the number of records and the time that the scenario has after some decisions. */
export function positionAt(decisions) {
  const { seq, time } = sessionOf(decisions);
  return { records: seq, simulatedSeconds: Math.round(time / 1e6) };
}

export function sessionAt(decisions) {
  const { s, forward, seq, time } = sessionOf(decisions);
  const memory = () => {
    globalThis.gc?.();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return { heapMiB: round(heapUsed / 2 ** 20), buffersMiB: round(arrayBuffers / 2 ** 20) };
  };
  const head = () => s.run({ do: 'go', to: { step: decisions } });
  const out = {
    decisions,
    records: seq,
    simulatedSeconds: Math.round(time / 1e6),
    forwardMillis: Math.round(forward.millis),
  };
  out.memory = memory();
  out.stepBack = measured(s, times(10, { do: 'step', unit: 'decision', back: true }));
  out.iterationBack = measured(s, times(10, { do: 'step', unit: 'iteration', back: true }));
  // Measures the page's questions at each stop, with the panels that ask them.
  out.manifestsInThePast = measured(s, [{ do: 'manifests' }]);
  s.run({ do: 'step', unit: 'decision', back: true });
  out.manifestsOneBefore = measured(s, [{ do: 'manifests' }]);
  out.jumpNear = measured(
    s,
    times(10, null).map((_, i) => ({ do: 'go', to: { step: decisions - 500 - 37 * i } })),
  );
  const search = { do: 'search', breakpoint: { on: 'record', kind: 'status' }, limit: 50, backwards: true };
  out.searchNear = measured(s, times(3, search));
  out.searchAll = measured(s, [{ ...search, breakpoint: { on: 'log', message: 'no such message' } }]);
  out.jumpFar = measured(
    s,
    [0.75, 0.5, 0.25, 0.05].map((part) => ({ do: 'go', to: { step: Math.round(decisions * part) } })),
  );
  out.stepBackThere = measured(s, times(5, { do: 'step', unit: 'decision', back: true }));
  out.jumpToTime = measured(s, [{ do: 'go', to: { time: time / 3 } }]);
  out.backToTheEnd = measured(s, [{ do: 'go', to: { step: decisions } }]);
  head();
  s.run({ do: 'go', to: { step: decisions - 100 } });
  out.actAtOnce = measured(s, [{ do: 'branch', name: 'here' }]);
  // Runs follow later, when nothing else is to be done.
  s.run({ do: 'switch', branch: 1 });
  out.trailMillis = s.idle();
  s.run({ do: 'go', to: { step: decisions - 100 } });
  out.actNear = measured(s, [{ do: 'branch', name: 'there' }]);
  out.memoryAfter = memory();
  return out;
}
