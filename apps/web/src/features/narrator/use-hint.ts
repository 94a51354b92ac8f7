import { useSession } from '../../run/session-store.js';
import { type Hint, nextHint, useHints } from './hints.js';

/** The hint to show now; none while it runs, as then there is enough to see. */
export function useHint(): Hint | null {
  const control = useSession((s) => s.info?.capabilities.control ?? false);
  const back = useSession((s) => (s.info?.capabilities.rewind ?? false) && s.run.steps > 0);
  const quiet = useSession((s) => s.phase !== 'ready' || s.run.running);
  const hint = useHints((s) => nextHint(s.done, { control, back }));
  return quiet ? null : hint;
}
