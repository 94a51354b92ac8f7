import { command } from '../../commands/types.js';
import { useUI } from '../../page/ui-store.js';
import { useFleet } from './fleet-store.js';

/** A moment of a node, in milliseconds since 1970 by its own clock. */
interface NodeMoment {
  readonly node: string;
  readonly at: number | null;
}

export const fleetCommands = {
  /** Shows all nodes on one clock; it is there once files of several nodes were opened. */
  'view.fleet': command({
    title: 'command.fleet',
    keys: ['Shift+O'],
    group: 'page',
    available: () => useFleet.getState().files.length > 0 || useFleet.getState().story !== null,
    run: () => useUI.setState({ dialog: 'fleet' }),
  }),
  /** Opens a node of the fleet in the debugger, at a moment. */
  'fleet.open': command<NodeMoment>({
    title: 'command.fleet',
    palette: false,
    run: async (moment) => (await import('./open-node.js')).openNode(moment.node, moment.at),
  }),
};

declare module '../../commands/index.js' {
  interface Commands extends Arguments<typeof fleetCommands> {}
}
