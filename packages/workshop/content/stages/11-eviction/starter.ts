// Which images go? So far only those that were never used.
export function freeSpace(images: readonly NodeImage[], goal: FreeSpaceGoal): string[] {
  return images.filter((image) => !image.inUse && image.unusedForSeconds === null).map((image) => image.id);
}

// Which pod goes first? So far the one that comes first.
export function rankPods(pods: readonly EvictablePod[], resource: 'memory' | 'ephemeral-storage' | 'pids'): string[] {
  return pods.map((pod) => pod.name);
}
