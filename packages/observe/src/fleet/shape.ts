import { incidentKinds } from '@syncloop/core/debug/incidents';
import { anyText, list, object, oneOf, optional, orNull, type Shape, whole } from '@syncloop/core/shape';
import {
  type FleetConsequence,
  type FleetIncident,
  type FleetNode,
  type Landing,
  type NodeClock,
  unreadReasons,
} from './types.js';

const millis = whole(Number.MIN_SAFE_INTEGER);
const count = whole(0);
const kind = oneOf(...incidentKinds);
const text = object({ en: anyText, zh: anyText });
const consequence: Shape<FleetConsequence> = object({ kind, begin: millis, pods: list(anyText) });
const incident: Shape<FleetIncident> = object({
  kind,
  pod: anyText,
  container: anyText,
  text,
  what: anyText,
  image: anyText,
  count,
  begin: millis,
  last: millis,
  end: orNull(millis),
  pods: list(anyText),
  consequences: list(consequence),
});
const landing: Shape<Landing> = object({ pod: anyText, uid: anyText, at: millis });
const clock: Shape<NodeClock> = object({ ahead: millis, uncertainty: count, pods: count });

/** Reads a node that was reduced elsewhere. */
export const fleetNodeShape: Shape<FleetNode> = object({
  name: anyText,
  source: anyText,
  version: anyText,
  level: oneOf('wrong', 'calm', 'little', 'nothing'),
  lines: count,
  read: count,
  from: orNull(millis),
  to: orNull(millis),
  clock: orNull(clock),
  incidents: list(incident),
  landings: list(landing),
  evictions: list(landing),
  dropped: count,
  problem: anyText,
  unread: optional(object({ why: oneOf(...unreadReasons), detail: anyText })),
});
