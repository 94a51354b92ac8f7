/** Breakpoints in a learner's code are those of the debugger: each is kept, listed and sent as any other. */
import { messageOf } from '@syncloop/core/base';
import { t } from '../../i18n/index.js';
import { notify } from '../../page/ui-store.js';
import { canBreak, setBreakpoints } from '../breakpoints/breakpoints.js';
import { useBreakpoints } from '../breakpoints/breakpoints-store.js';
import { linesOf, withLineBreakpoints } from './logic/code-in-run.js';

export const breakpointLines = (file: string): readonly number[] => linesOf(useBreakpoints.getState().specs, file);

/** Sets the breakpoints of a file. A session without breakpoints leaves them to the editor. */
export async function setBreakpointLines(file: string, lines: readonly number[]): Promise<void> {
  const { specs } = useBreakpoints.getState();
  const next = withLineBreakpoints(specs, file, lines);
  if (next === specs || !canBreak()) return;
  try {
    await setBreakpoints(next);
  } catch (error) {
    notify(t('breakpoints.refused', { why: messageOf(error) }), true);
  }
}
