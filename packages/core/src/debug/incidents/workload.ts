/** Letters and digits of generated names (upstream: util/rand's alphanums). */
const SAFE = 'bcdfghjklmnpqrstvwxz2456789';
/** Matches the end of `web-6b4df4cd87-wk5kq` (ReplicaSet), `backup-28394820-x7k2p` (CronJob), `agent-x7k2p` (Job). */
const GENERATED = new RegExp(`(?:-(?:[${SAFE}]{6,10}|\\d{8,10}))?-[${SAFE}]{5}$`);

/**
 * Returns `namespace/name` of a pod without what a controller appended to the name: the same for all pods of one
 * workload. A name that nobody generated is returned as it is.
 */
export const workloadOf = (pod: string): string => pod.replace(GENERATED, '');
