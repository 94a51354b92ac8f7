/** The messages to a client when its session jumps: what the moment needs, not all that lies between. */
import { describe, expect, it } from 'vitest';
import { type Command, SessionClient, SessionServer, SimulationSession, simulationSource } from '../index.js';
import { hashState } from '../inspect/index.js';
import type { ServerMessage } from '../protocol/protocol.js';

const JUMP = 1024;
const CHUNK = 128;
const STEPS = 2500;

function open() {
  const session = new SimulationSession(simulationSource(), { scenario: 'crash-loop', chunk: CHUNK });
  const server = new SessionServer(session, { jump: JUMP });
  const sent: ServerMessage[] = [];
  let take: (message: ServerMessage) => void = () => {};
  const handle = server.connect((message) => {
    sent.push(message);
    take(JSON.parse(JSON.stringify(message)) as ServerMessage);
  });
  const client = new SessionClient({
    send: (message) => handle.receive(message),
    onMessage: (handler) => {
      take = handler;
    },
    onClose: () => {},
    close: () => {},
  });
  /**
   * Returns the number of records that a command sent, and whether there was a snapshot. The client stands where the
   * session stands.
   */
  const does = (command: Command): { records: number; snapshot: boolean } => {
    sent.length = 0;
    client.command(command).catch(() => {});
    while (!sent.some((m) => m.type === 'result')) session.pump(1, () => false);
    expect(sent.find((m) => m.type === 'result')).toMatchObject({ ok: true });
    expect(client.store.last).toBe(session.store.last);
    expect(hashState(client.store.state)).toBe(hashState(session.store.state));
    const records = sent.reduce((sum, m) => sum + (m.type === 'records' ? m.records.length : 0), 0);
    return { records, snapshot: sent.some((m) => m.type === 'welcome' && m.snapshot !== null) };
  };
  return { session, client, does };
}
const go = (step: number): Command => ({ do: 'go', to: { step } });

describe('a jump', () => {
  it('far forward is told by a snapshot and the records that led to the moment', () => {
    const { session, does } = open();
    does(go(STEPS));
    const all = session.store.last;
    expect(all).toBeGreaterThan(4 * JUMP);
    expect(does(go(0))).toEqual({ records: 0, snapshot: false });
    const jump = does(go(STEPS));
    expect(jump.snapshot).toBe(true);
    expect(jump.records).toBeGreaterThan(JUMP - CHUNK);
    expect(jump.records).toBeLessThanOrEqual(JUMP);
    // Later records are sent as ever, and so is a jump to before the client's first record.
    expect(does({ do: 'step', unit: 'decision', count: 3 })).toMatchObject({ snapshot: false });
    const back = does(go(Math.round(STEPS * 0.75)));
    expect([back.snapshot, back.records <= JUMP]).toEqual([true, true]);
    expect(does({ do: 'step', unit: 'decision', back: true })).toEqual({ records: 0, snapshot: false });
  });

  it('not so far is told by what lies between, so that the client keeps what it holds', () => {
    const { session, client, does } = open();
    does(go(STEPS));
    const to = session.store.last;
    does({ do: 'go', to: { seq: to - 2 * JUMP } });
    expect(does({ do: 'go', to: { seq: to } })).toEqual({ records: 2 * JUMP, snapshot: false });
    expect(client.store.first).toBe(1);
  });

  it('to another branch is told likewise', () => {
    const { session, does } = open();
    does(go(STEPS));
    does(go(10));
    does({ do: 'branch' });
    does({ do: 'step', unit: 'decision' });
    const jump = does({ do: 'switch', branch: 1 });
    expect(jump.snapshot).toBe(true);
    expect(jump.records).toBeLessThanOrEqual(JUMP);
    expect(session.runState().steps).toBe(STEPS);
  });
});
