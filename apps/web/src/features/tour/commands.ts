import { command } from '../../commands/types.js';
import { useSession } from '../../run/session-store.js';
import { STOPS } from './stops.js';
import { leaveTour, nextStop, previousStop, startTour, touring, useTour } from './tour-store.js';

/** A run that starts over and can be gone through: of scenarios, not of a node. */
const possible = () => {
  const { phase, info } = useSession.getState();
  return phase === 'ready' && info?.capabilities.rewind === true && info.capabilities.control;
};
const at = () => useTour.getState().at ?? -1;

export const tourCommands = {
  'tour.start': command({ title: 'command.tourStart', group: 'run', available: possible, run: startTour }),
  'tour.next': command({
    title: 'command.tourNext',
    group: 'run',
    palette: false,
    available: () => touring() && at() < STOPS.length,
    run: nextStop,
  }),
  'tour.back': command({
    title: 'command.tourBack',
    group: 'run',
    palette: false,
    available: () => at() > 0,
    run: previousStop,
  }),
  'tour.leave': command({
    title: 'command.tourLeave',
    group: 'run',
    available: touring,
    run: () => void leaveTour(),
  }),
};

declare module '../../commands/index.js' {
  interface Commands extends Arguments<typeof tourCommands> {}
}
