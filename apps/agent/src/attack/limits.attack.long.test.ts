/** Goes through the table of limits: each is driven on a real server, up to its number and beyond it. */
import { describe, expect, it } from 'vitest';
import { type LimitName, limits } from '../server/limits.js';
import { classroomLimits } from './testing/limits/classroom.js';
import { connectionsLimits } from './testing/limits/connections.js';
import { incomingLimits } from './testing/limits/incoming.js';
import { outgoingLimits } from './testing/limits/outgoing.js';
import type { Drive } from './testing/limits/server.js';
import { sessionLimits } from './testing/limits/session.js';
import { strangersLimits } from './testing/limits/strangers.js';

const drives: Readonly<Record<LimitName, Drive>> = {
  ...connectionsLimits,
  ...strangersLimits,
  ...incomingLimits,
  ...outgoingLimits,
  ...sessionLimits,
  ...classroomLimits,
};

const rows = Object.entries(limits).flatMap(([name, limit]) =>
  (['session', 'audience'] as const).flatMap((door) =>
    limit[door] === null ? [] : [[name as LimitName, door] as const],
  ),
);

describe('each limit', () => {
  it('has a test', () => {
    expect(Object.keys(drives).sort()).toEqual(Object.keys(limits).sort());
  });
  it.each(rows)('%s, of the %s', async (name, door) => {
    await drives[name](door);
  });
});
