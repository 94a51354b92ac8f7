import { messageOf } from '@syncloop/core/base';
import type { Deviation } from '@syncloop/core/kernel';
import type { Micros } from '@syncloop/core/trace';
import type { Difference, Show } from '@syncloop/workshop/judge';
import type { Stage } from '@syncloop/workshop/stages';
import { focusStage } from '../../commands/focus.js';
import { t } from '../../i18n/index.js';
import { notify, useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { session } from '../../session/session.js';
import { breakpointLines } from './breakpoints.js';
import { codeOf } from './judging.js';
import { firstStop, inScenario, nameOfScenario, withLines } from './logic/code-in-run.js';
import { fileOf } from './logic/file-of.js';
import { useWorkshop } from './workshop-store.js';

/** True if the session can run a scenario with the learner's code: a simulation in this page can. */
export const canShow = (): boolean => {
  const { phase, info } = useSession.getState();
  return phase === 'ready' && info?.capabilities.scenarios === true;
};

/** The time in a run within which a first line of the code must come. */
const WITHIN: Micros = 600_000_000;

/** Loads a scenario with the learner's code; its panel opens below the map. */
async function load(text: string, seed?: number, deviations?: readonly Deviation[]): Promise<void> {
  await session.command({
    do: 'load',
    scenario: nameOfScenario(text),
    text,
    ...(seed !== undefined && { seed }),
    ...(deviations && { deviations }),
  });
}

/** Closes the workshop, so that the debugger is in sight. */
function showDebugger(said: string, bottom: 'code' | 'sides' = 'code'): void {
  useUI.setState({ dialog: null, selection: null, inspectorOpen: false, tryDismissed: true, bottom });
  focusStage();
  notify(said, false, { label: t('workshop.back'), run: () => useUI.setState({ dialog: 'workshop' }) });
}

/** Opens the debugger at a difference, with the learner's part in the running loop. */
export async function showDifference({ expected, got }: Difference, show: Show): Promise<void> {
  const { scenario, time, seed, deviations, sides } = show;
  try {
    await load(withLines(scenario), seed, deviations);
    await session.command({ do: 'go', to: { time } });
  } catch (error) {
    notify(t('workshop.notShown', { why: messageOf(error) }), true);
    return;
  }
  const id = useSession.getState().info?.id ?? '';
  useWorkshop.setState({ sides: sides ? { ...sides, session: id, at: time / 1000, expected, got } : null });
  showDebugger(t('workshop.shown'), sides ? 'sides' : 'code');
}

/** True if a stage has a scenario in which its code can be debugged. */
export const canDebug = (stage: Stage): boolean => stage.schedules.length > 0 && canShow();

/** Runs a stage's code in the debugger, up to its first breakpoint, or to its first line if it has none. */
export async function debugStage(stage: Stage): Promise<void> {
  const [schedule] = stage.schedules;
  if (!schedule || !canDebug(stage)) return;
  const file = fileOf(stage.name);
  let found = false;
  try {
    await load(inScenario(schedule.scenario, stage.parts, stage.name, codeOf(stage)));
    const where = firstStop(file, breakpointLines(file));
    const result = await session.command({ do: 'until', where, within: WITHIN, pace: 'fast' });
    found = result.met || result.ended === 'breakpoint';
  } catch (error) {
    notify(t('workshop.notShown', { why: messageOf(error) }), true);
    return;
  }
  showDebugger(t(found ? 'workshop.debugging' : 'workshop.notReached'));
}
