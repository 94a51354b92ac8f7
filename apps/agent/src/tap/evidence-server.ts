/** A socket from which programs of this user read a tap's decoded evidence, as lines of JSON. */
import { createServer, type Socket } from 'node:net';
import type { Evidence } from '@syncloop/observe';
import { ignoreErrors } from '../base/ignore-errors.js';
import { placeSocket } from '../cri/socket-file.js';

/** Most bytes that wait for a slow reader; more are left out, and a gap says so. */
const MOST_WAITING = 16 * 1024 * 1024;
const MOST_LISTENERS = 16;

export interface EvidenceServer {
  send(pieces: readonly Evidence[]): void;
  close(): Promise<void>;
}

/**
 * Listens at a path, with mode 0600. Each line that it sends is `{"evidence": …}`, for an `EvidenceLinesReader`. If the
 * socket cannot be made, calls `warn` and serves nobody.
 */
export async function serveEvidence(path: string, warn: (text: string) => void): Promise<EvidenceServer> {
  const listeners = new Map<Socket, { left: number }>();
  const server = createServer((socket) => {
    ignoreErrors(socket);
    if (listeners.size >= MOST_LISTENERS) {
      socket.destroy();
      return;
    }
    listeners.set(socket, { left: 0 });
    // Readers have nothing to send.
    socket.on('data', () => socket.destroy());
    socket.once('close', () => listeners.delete(socket));
  });
  ignoreErrors(server);
  let remove = async () => {};
  try {
    remove = await placeSocket(
      path,
      (at) =>
        new Promise((resolve, reject) => {
          server.once('error', reject);
          server.listen(at, resolve);
        }),
    );
  } catch (err) {
    warn(`${(err as Error).message}; the tap works, but attach cannot read what it decodes`);
  }
  return {
    send(pieces) {
      if (listeners.size === 0 || pieces.length === 0) return;
      const text = pieces.map(line).join('');
      for (const [socket, state] of listeners) {
        if (socket.writableLength > MOST_WAITING) state.left += pieces.length;
        else {
          if (state.left > 0) socket.write(line(missed(state.left, pieces[0]?.at ?? null)));
          state.left = 0;
          socket.write(text);
        }
      }
    },
    async close() {
      const gone = new Promise((resolve) => server.close(resolve));
      for (const socket of listeners.keys()) socket.destroy();
      await gone;
      await remove();
    },
  };
}

const line = (evidence: Evidence): string => `${JSON.stringify({ evidence })}\n`;
const missed = (pieces: number, at: number | null): Evidence => ({
  kind: 'gap',
  source: 'cri',
  at,
  place: {},
  why: `${pieces} pieces of evidence were left out: whoever reads them was too slow.`,
});
