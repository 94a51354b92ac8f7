// Which workers go? So far only those of pods that nobody wants any more and that are finished.
export function syncKnownPods(desired: readonly string[], workers: readonly PodWorker[]): KnownPods {
  const remove = workers.filter((w) => w.state === 'finished' && !desired.includes(w.uid)).map((w) => w.uid);
  return { remove, terminate: [] };
}

// What else is out of place? So far nothing is.
export function handlePodCleanups(input: HousekeepingInput): HousekeepingPlan {
  return { restart: [], finish: [], kill: [], removeCgroups: [] };
}
