import { useEffect } from 'react';
import { same } from '../../run/same.js';
import { useSession } from '../../run/session-store.js';
import { useTrace } from '../../run/use-trace.js';
import { useAnswered } from './answered.js';
import { readAssumptions, useAssumptions } from './assumptions.js';

/** Between a change and the look at it (ms): pods come together. */
const REST = 200;

/** Keeps the assumptions up to date with the run; shows nothing. */
export function AssumptionsWatch(): null {
  const run = useSession((s) => (s.phase === 'ready' && s.info?.capabilities.intervene ? s.info.id : ''));
  const branch = useSession((s) => s.run.branch);
  const pods = useTrace((s) => Object.keys(s.pods).join(' '));
  const answered = useAnswered((s) => s.sent);
  // biome-ignore lint/correctness/useExhaustiveDependencies: read again for each of them
  useEffect(() => {
    const show = (by: ReturnType<typeof useAssumptions.getState>['by']) => {
      if (!same(useAssumptions.getState().by, by)) useAssumptions.setState({ by });
    };
    if (run === '' || pods === '') {
      show({});
      return;
    }
    let gone = false;
    const timer = setTimeout(() => {
      readAssumptions().then(
        (by) => gone || show(by),
        () => {},
      );
    }, REST);
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [run, branch, pods, answered]);
  return null;
}
