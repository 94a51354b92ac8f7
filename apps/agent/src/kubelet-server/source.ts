/** The state and helpers that the handlers of the kubelet's server share. */
import { background, type CancelFunc, type Context, withCancel } from '@syncloop/core/kernel';
import type { LogFiles } from '@syncloop/core/kubelet/server';
import type { Seats } from '../net/seats.js';
import type { RunningNode } from '../node/kubelet-runner.js';
import type { Auth } from './auth.js';
import type { Healthz } from './healthz.js';
import type { ServerRequest } from './http.js';
import type { NodeLogs } from './node-logs.js';
import type { SharedAnswers } from './shared-answers.js';

/** The node and the data that the handlers read and call. */
export interface ServerSource {
  readonly node: Pick<RunningNode, 'kernel' | 'kubelet' | 'madeKubelet' | 'name' | 'run'>;
  readonly healthz: Healthz;
  readonly logFiles: LogFiles;
  /** The metrics of this process, which /metrics shows besides the kubelet's own. */
  readonly processMetrics: () => string;
  /** The part of them that /metrics/probes shows. */
  readonly probeProcessMetrics: () => string;
  /** Counts how late the event loop was. */
  readonly observeDelay: (seconds: number) => void;
  readonly configz: () => unknown;
  /** Changes the log's verbosity; null if that is not allowed. */
  readonly setVerbosity: ((level: number) => void) | null;
  /** Answers that all servers share. */
  readonly shared: SharedAnswers;
  readonly streams: Seats;
  /** The logs of the node; null if they are not served. */
  readonly nodeLogs: NodeLogs | null;
}

/** The parts that only the main server has; the read-only one authenticates nobody and changes nothing. */
export interface MainServer {
  readonly auth: Auth;
  readonly enableDebuggingHandlers: boolean;
}

/** A context that ends when the client disconnects. */
export function requestContext(node: ServerSource['node'], incoming: ServerRequest): [Context, CancelFunc] {
  const [ctx, cancel] = withCancel(node.kernel, background);
  const end = () => node.kernel.post(() => cancel());
  (incoming.upgrade?.socket ?? incoming.response).once('close', end);
  return [ctx, end];
}
