import type { NodeObject, NodeStatus } from '../../api/cluster-types.js';
import type { Go } from '../../kernel/index.js';

/** A node that is being made: it has a status in any case. */
export type NodeDraft = NodeObject & { status: NodeStatus };

/**
 * Sets one part of a node, in place. Its error is logged, and the next one runs all the same; it may have set some of
 * its part by then.
 * upstream: nodestatus.Setter
 */
export type Setter = (node: NodeDraft) => Go<void>;

/** Events about the node itself: `Node NAME status is now: EVENT`. upstream: (*Kubelet).recordNodeStatusEvent */
export type RecordNodeStatusEvent = (event: string) => void;
