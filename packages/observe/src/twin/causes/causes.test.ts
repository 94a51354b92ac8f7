import { Stopped } from '@syncloop/core/debug';
import { parseScenario } from '@syncloop/core/scenario';
import { describe, expect, it } from 'vitest';
import { CauseSearch } from './search.js';
import { planted } from './testing/causes-planted.js';
import { plant } from './testing/planted.js';

const of = (name: string) => plant(planted.find((one) => one.name === name) as (typeof planted)[number]);

describe('a search for causes', () => {
  it('says what explains most with least, with its evidence, as a scenario that can be opened', () => {
    const { search, twin } = of('spec-grace');
    const { found, differ, ended, order, summary } = search({ tries: 3 });
    expect(found[0]).toMatchObject({ causes: ['spec-grace'], left: 0, explains: differ, nth: 1 });
    const { text, scenario } = found[0] as (typeof found)[number];
    expect(text.en).toMatch(
      /^With terminationGracePeriodSeconds 3 instead of 30 in the specification of web all (\d+) decisions are the same; without it \d+ of \d+ are\.$/,
    );
    expect(text.zh).toMatch(/^若web 规约中的 terminationGracePeriodSeconds 为 3 而不是 30，则全部 \d+ 个决策相同/);
    expect(summary.en).toContain(text.en);
    expect(order.en).toMatch(/^Tried first is what a difference like the first one suggests.*: another grace period/);
    expect(ended).toBe(true);
    expect(scenario.text).toMatch(/^# .*\n(#.*\n)*# Changed: terminationGracePeriodSeconds 3/);
    expect(parseScenario(scenario.text, 'twin.yaml').steps.length).toBe(
      parseScenario(twin.text, 'a.yaml').steps.length,
    );
  });

  it('ends with its budget, and can be stopped between two slices', () => {
    const { twin, options } = of('ended');
    const all = new CauseSearch({ ...options, budget: { tries: 4 } });
    const work = all.work();
    let next = work.next();
    while (!next.done) next = work.next();
    expect(next.value).toMatchObject({ tried: 4, ended: true });
    const some = new CauseSearch(options);
    const going = some.work();
    while (some.progress.done < 2) going.next();
    const stopped = going.throw(new Stopped());
    expect(stopped).toMatchObject({ done: true, value: { tried: 2, ended: false } });
    const none = new CauseSearch({ ...options, twin, budget: { simulated: 1 } }).work();
    let one = none.next();
    while (!one.done) one = none.next();
    expect(one.value.tried).toBe(0);
  });
});
