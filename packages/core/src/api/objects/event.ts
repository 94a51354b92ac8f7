import { byValue, field, int32, microTime, required, type Shape, str, struct, time } from './field.js';
import { object, objectMeta } from './meta.js';
import { objectReference } from './references.js';

/** Events, as core/v1 and as events.k8s.io/v1 have them. */

const eventSourceFields = {
  component: field(1, str),
  host: field(2, str),
};
export interface EventSource extends Shape<typeof eventSourceFields> {}
export const eventSource = struct<EventSource>('EventSource', eventSourceFields);
export const eventSeries = struct('EventSeries', {
  count: field(1, int32),
  lastObservedTime: byValue(2, microTime),
});
export const event = object('Event', {
  metadata: required(1, objectMeta),
  involvedObject: required(2, objectReference),
  reason: field(3, str),
  message: field(4, str),
  source: byValue(5, eventSource),
  firstTimestamp: byValue(6, time),
  lastTimestamp: byValue(7, time),
  count: field(8, int32),
  type: field(9, str),
  eventTime: byValue(10, microTime),
  series: field(11, eventSeries),
  action: field(12, str),
  related: field(13, objectReference),
  reportingComponent: byValue(14, str),
  reportingInstance: byValue(15, str),
});
export const eventV1 = object('Event', {
  eventTime: required(2, microTime),
  series: field(3, eventSeries),
  action: field(6, str),
  related: field(9, objectReference),
  reportingController: field(4, str),
  reportingInstance: field(5, str),
  reason: field(7, str),
  regarding: byValue(8, objectReference),
  note: field(10, str),
  type: field(11, str),
  deprecatedSource: byValue(12, eventSource),
  deprecatedFirstTimestamp: byValue(13, time),
  deprecatedLastTimestamp: byValue(14, time),
  deprecatedCount: field(15, int32),
});
