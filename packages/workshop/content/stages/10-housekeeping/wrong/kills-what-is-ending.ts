// Everything that runs and is not wanted is killed, although its worker is about it.
// fails: examples still-terminating
export function syncKnownPods(desired: readonly string[], workers: readonly PodWorker[]): KnownPods {
  const remove: string[] = [];
  const terminate: string[] = [];
  for (const { uid, state, started, restartRequested } of workers) {
    const orphan = !desired.includes(uid);
    if (!orphan && !restartRequested) continue;
    // A worker that never began has nothing to end.
    if (state === 'finished' || (orphan && !started)) remove.push(uid);
    else if (orphan) terminate.push(uid);
  }
  return { remove, terminate };
}

export function handlePodCleanups({ pods, workers, runningPods, cgroups }: HousekeepingInput): HousekeepingPlan {
  const states = new Map(workers.map((w) => [w.uid, w.state]));
  const running = new Set(runningPods.map((p) => p.uid));
  const restart = pods.filter((p) => p.active && !states.has(p.uid)).map((p) => p.uid);
  const ended = (p: WantedPod) => p.deleted && (p.phase === 'Succeeded' || p.phase === 'Failed');
  return {
    restart,
    finish: pods.filter((p) => ended(p) && !states.has(p.uid) && !running.has(p.uid)).map((p) => p.uid),
    kill: [...running].filter((uid) => !pods.some((p) => p.uid === uid)),
    // Without a worker, or with one whose containers have all ended.
    removeCgroups: cgroups.filter((uid) => (states.get(uid) ?? 'terminated') === 'terminated'),
  };
}
