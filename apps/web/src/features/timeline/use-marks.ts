import type { SessionInfo } from '@syncloop/core/debug';
import { useEffect } from 'react';
import { useSession } from '../../run/session-store.js';
import { trace } from '../../run/trace-store.js';
import { useBranches } from '../branches/branches-store.js';
import type { TimelineMark } from './scene.js';
import { setTimelineMarks } from './timeline-store.js';

/** Most places where breakpoints were met that are kept. */
const MOST = 500;

/** Where the run stopped at breakpoints and wrote by logpoints, until it is another run. */
const stops = new Map<string, TimelineMark>();
let session: SessionInfo | null = null;

/** Marks that come of the session itself: where breakpoints were met, and where branches begin. */
export function useBuiltInMarks(): void {
  const info = useSession((s) => s.info);
  const hits = useSession((s) => s.run.hits);
  const branches = useBranches((s) => s.branches);
  useEffect(() => {
    // A scenario that is loaded makes it another one.
    if (info !== session) stops.clear();
    session = info;
    for (const hit of hits ?? []) {
      const kind = hit.pause ? 'breakpoint' : 'logpoint';
      stops.set(`${hit.id} ${hit.seq}`, { kind, seq: hit.seq, text: hit.text ?? hit.id });
      const oldest = stops.keys().next().value;
      if (stops.size > MOST && oldest !== undefined) stops.delete(oldest);
    }
    for (const [key, mark] of stops) if (mark.seq < trace.records.first) stops.delete(key);
    setTimelineMarks('breakpoints', [...stops.values()]);
  }, [info, hits]);
  useEffect(() => {
    const here = branches.find((b) => b.current)?.id;
    const marks: TimelineMark[] = [];
    for (const b of branches)
      if (b.parent !== 0 && (b.id === here || b.parent === here))
        marks.push({ kind: 'branch', seq: Math.max(1, b.forkedAt.seq), text: b.name });
    setTimelineMarks('branches', marks);
  }, [branches]);
}
