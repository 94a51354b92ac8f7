import { it } from 'vitest';
import { pctChooser, randomChooser } from '/work/wt/twsearch/packages/core/src/debug/explore/choosers.js';
import { follow, RecordingPolicy } from '/work/wt/twsearch/packages/core/src/debug/explore/recording-policy.js';
import { parseScenario, startScenario } from '/work/wt/twsearch/packages/core/src/scenario/index.js';
import { captureOf } from '/work/wt/twsearch/packages/core/src/twin/capture/capture.js';
import { observeCapture } from '/work/wt/twsearch/packages/core/src/twin/capture/observe.js';
import { rerun, twinScenario } from '/work/wt/twsearch/packages/core/src/twin/make/index.js';
import { judgeOf } from '/work/wt/twsearch/packages/core/src/twin/search/judge.js';
import { races, raceText } from '/work/wt/twsearch/packages/core/src/twin/search/testing/races.js';

it('x', () => {
  for (const race of races)
    for (const off of [0, 300, 600, 900, 1200, 1500]) {
      const text = raceText(race).replace(
        /wait: (4|4500|5|5500)(s|ms)\n/,
        (_, n, u) => `wait: ${Number(n) * (u === 's' ? 1000 : 1) + off}ms\n`,
      );
      const sc = parseScenario(text, 'x');
      let out = '';
      for (const i of [0, 1, 2, 3, 4, 5, 6]) {
        try {
          const p = new RecordingPolicy(
            sc.seed,
            i ? randomChooser(i + 1, [0.02, 0.1, 0.4][i % 3] as number) : follow([]),
          );
          const cap = captureOf(sc, { policy: p });
          const { observation, records } = observeCapture(cap);
          const twin = twinScenario(records, {
            epochMicros: (observation as any).epochMicros,
            name: race.name,
            version: 'v1.36.2',
          });
          const j = judgeOf(records, twin)(rerun(twin).records, twin.until);
          const d = j.differences[0];
          if (i === 0) out += `sel ${p.points.filter((p) => p.kind === 'select').length} `;
          out += ' [' + (d ? `${d.how} ${(d.seen ?? d.twin)!.kind} ${(d.seen ?? d.twin)!.what}` : '') + ']';
        } catch (e) {
          out += ' ERR ' + String(e).slice(0, 60);
        }
      }
      console.log(race.name, off, out);
    }
}, 600000);
