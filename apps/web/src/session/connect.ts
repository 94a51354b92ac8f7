/** Connects the page: to a simulation in a worker of its own, or to the agent that served it. */
import { forget, recall, remember } from '../page/storage.js';
import { useSession } from '../run/session-store.js';
import { workerConnection } from './connection/worker-connection.js';
import { AgentAccess, LINK, TOKEN } from './link.js';
import { session } from './session.js';

/** The token of an agent that answered when the page left it. */
const LEFT = 'token.left';

/** Connects the page to a simulation in a worker of this page. */
export function simulate(): void {
  const token = recall(TOKEN, 'session');
  const { kind, phase } = useSession.getState();
  if (token !== null && kind === 'agent' && phase === 'ready') remember(LEFT, token, 'session');
  forget(TOKEN, 'session');
  forget(LINK, 'session');
  session.connect(workerConnection, 'worker');
}

/** The token of the agent that this page left for a simulation of its own; null if there is none to go back to. */
export const leftAgent = (): string | null =>
  useSession.getState().kind === 'worker' ? recall(LEFT, 'session') : null;

/** Connects the page to the agent that served it, with a token that it was given before. */
export const attach = (token: string): Promise<void> => connectTo(AgentAccess.withToken(token));

/** Connects the page to the agent that served it, with the code of a link. */
export const attachByLink = (code: string): Promise<void> => connectTo(AgentAccess.withLink(code));

/** The code that speaks to an agent is loaded only here. */
async function connectTo(access: AgentAccess): Promise<void> {
  forget(LEFT, 'session');
  const { socketConnection } = await import('./connection/socket-connection.js');
  session.connect(() => socketConnection(access), 'agent');
}

/** Resolves once the session answers, with true; with false if it was refused or has ended. */
export function sessionReady(): Promise<boolean> {
  return new Promise((resolve) => {
    const look = () => {
      const { phase } = useSession.getState();
      if (phase === 'starting') return false;
      resolve(phase === 'ready');
      return true;
    };
    if (look()) return;
    const stop = useSession.subscribe(() => {
      if (look()) stop();
    });
  });
}

/** Like `sessionReady`, for a session that can go to moments: any other session is replaced by a simulation. */
export async function simulationReady(): Promise<boolean> {
  if (!(await sessionReady()) || useSession.getState().info?.capabilities.scenarios !== true) simulate();
  return sessionReady();
}
