/** Serves the debugger's end of the pipe to the kubelet. */
import type { Duplex } from 'node:stream';
import type { CommandResult, Hit, RunState, SessionBackend } from '@syncloop/core/debug/live';
import type { NodeState, TraceRecord } from '@syncloop/core/trace';
import { type SessionHost, serveSession } from '../server/session-host.js';
import { LiveBackend } from './backend.js';
import { FrameReader, frame, frameType } from './frames.js';
import { type FromDebugger, maxFrameToDebugger, type ResultMessage, type ServeRequest } from './messages.js';
import { ObservedBackend } from './observed-backend.js';

const aliveMillis = 1000;

/**
 * Serves the messages of `pipe` until it ends, then resolves. Rejects when one cannot be read. `listening` is called
 * once it listens, and may give up rights that are not needed any more.
 */
export async function serveFromPipe(pipe: Duplex, listening: () => void): Promise<void> {
  let request: ServeRequest | null = null;
  let live: LiveBackend | null = null;
  let observed: ObservedBackend | null = null;
  let host: SessionHost | null = null;
  let controllers = 0;
  let serving = false;
  const say = (message: FromDebugger) => {
    if (!pipe.destroyed) pipe.write(frame(frameType.message, JSON.stringify(message)));
  };
  const alive = () => say({ type: 'alive', controllers });

  const serve = async (what: ServeRequest, session: SessionBackend) => {
    try {
      host = await serveSession(session, {
        ...what,
        codes: { known: what.usedCodes ?? [], onUse: (used) => say({ type: 'linkUsed', used }) },
        onClients: (count) => observed?.clients(count),
        onControllers: (count) => {
          controllers = count;
          alive();
        },
      });
      listening();
      say({ type: 'listening', port: host.port });
    } catch (err) {
      say({ type: 'failed', error: (err as Error).message });
      pipe.end();
    }
  };

  const take = (type: number, body: string) => {
    const value: unknown = JSON.parse(body);
    if (type === frameType.serve) request = value as ServeRequest;
    else if (!request) throw new Error('the first frame must say what to serve');
    else if (type === frameType.state) {
      const state = value as NodeState;
      const known = live ?? observed;
      if (known) known.restate(state);
      else if (request.info.capabilities.observed)
        observed = new ObservedBackend(request.info, state, () => host?.server ?? null);
      else
        live = new LiveBackend(request.info, request.capacity, state, (id, command) =>
          say({ type: 'command', id, command }),
        );
    } else if (!live && !observed) throw new Error('the second frame must be a state');
    else if (type === frameType.records) (live ?? observed)?.take(value as TraceRecord[]);
    else if (type === frameType.run) {
      live?.runs(value as RunState);
      // All earlier records are there now: a page that was here before goes on where it was.
      if (!serving) void serve(request, live ?? (observed as ObservedBackend).session);
      serving = true;
    } else if (type === frameType.written) live?.wrote(value as Hit[]);
    else if (type === frameType.result) {
      const { id, result } = value as ResultMessage;
      live?.answer(id, result as CommandResult);
    } else throw new Error(`a frame has the unknown type ${type}`);
  };

  const timer = setInterval(alive, aliveMillis);
  try {
    await new Promise<void>((resolve, reject) => {
      const reader = new FrameReader(maxFrameToDebugger, take);
      pipe.on('data', (piece: Buffer) => {
        try {
          reader.push(piece);
        } catch (err) {
          reject(err as Error);
        }
      });
      pipe.on('error', reject);
      pipe.on('end', () => resolve());
      pipe.on('close', () => resolve());
    });
  } finally {
    clearInterval(timer);
    pipe.end();
    (live as LiveBackend | null)?.close();
    (observed as ObservedBackend | null)?.close();
    await (host as SessionHost | null)?.close();
  }
}
