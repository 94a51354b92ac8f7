import type { Seq } from '@syncloop/core/trace';
import type { ReactNode } from 'react';
import { trace } from '../../../run/trace-store.js';
import { useTrace } from '../../../run/use-trace.js';
import { Selectable } from '../../../selection/selectable.js';

/** Most records between the beginning of computePodActions and its result: it is one decision of the scheduler. */
const NEAR = 200;

/** Returns the record with the newest result of computePodActions for a pod; 0 if there is none in memory. */
function actionsOf(uid: string, computing: Seq): Seq {
  const end = computing === 0 ? 0 : Math.min(computing + NEAR, trace.cursor.seq);
  for (let seq = computing; seq <= end; seq++) {
    const record = trace.records.get(seq);
    if (record?.kind === 'pod-actions' && record.uid === uid) return seq;
  }
  return 0;
}

interface ActionsLinkProps {
  readonly uid: string;
  readonly pointerOnly?: boolean;
  readonly children: ReactNode;
}
/** Selects what computePodActions returned for a pod. */
export function ActionsLink({ uid, pointerOnly = false, children }: ActionsLinkProps) {
  const seq = useTrace((state) => {
    const { steps = [] } = state.pods[uid] ?? {};
    const computing = steps.findLast((s) => s.fn === 'kuberuntime.SyncPod' && s.n === 1);
    return actionsOf(uid, computing?.seq ?? 0);
  });
  if (seq === 0) return children;
  return (
    <Selectable selection={{ kind: 'record', seq }} className="sl-step-link" pointerOnly={pointerOnly}>
      {children}
    </Selectable>
  );
}
