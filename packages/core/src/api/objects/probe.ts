import {
  embedded,
  field,
  int32,
  int64,
  intOrString,
  list,
  oneOf,
  pointer,
  required,
  type Shape,
  str,
  struct,
} from './field.js';

const execActionFields = {
  command: field(1, list(str), { needed: true }),
};
export interface ExecAction extends Shape<typeof execActionFields> {}
export const execAction = struct<ExecAction>('ExecAction', execActionFields);
export const httpHeader = struct('HTTPHeader', {
  name: required(1, str),
  value: required(2, str),
});
const httpGetActionFields = {
  path: field(1, str, { default: '/' }),
  port: required(2, intOrString),
  host: field(3, str),
  scheme: field(4, oneOf('HTTP', 'HTTPS'), { default: 'HTTP' }),
  httpHeaders: field(5, list(httpHeader)),
};
export interface HTTPGetAction extends Shape<typeof httpGetActionFields> {}
export const httpGetAction = struct<HTTPGetAction>('HTTPGetAction', httpGetActionFields);
const tcpSocketActionFields = {
  port: required(1, intOrString),
  host: field(2, str),
};
export interface TCPSocketAction extends Shape<typeof tcpSocketActionFields> {}
export const tcpSocketAction = struct<TCPSocketAction>('TCPSocketAction', tcpSocketActionFields);
export const grpcAction = struct('GRPCAction', {
  port: required(1, int32),
  service: pointer(2, str, { default: '', keep: true }),
});
export const sleepAction = struct('SleepAction', {
  seconds: required(1, int64),
});
const lifecycleHandlerFields = {
  exec: field(1, execAction),
  httpGet: field(2, httpGetAction),
  tcpSocket: field(3, tcpSocketAction),
  sleep: field(4, sleepAction),
};
export interface LifecycleHandler extends Shape<typeof lifecycleHandlerFields> {}
export const lifecycleHandler = struct<LifecycleHandler>('LifecycleHandler', lifecycleHandlerFields, {
  union: ['exec', 'httpGet', 'sleep', 'tcpSocket'],
});
const lifecycleFields = {
  postStart: field(1, lifecycleHandler),
  preStop: field(2, lifecycleHandler),
  stopSignal: pointer(3, str),
};
export interface Lifecycle extends Shape<typeof lifecycleFields> {}
export const lifecycle = struct<Lifecycle>('Lifecycle', lifecycleFields);
/** upstream: core/v1 ProbeHandler */
const probeHandler = {
  exec: field(1, execAction),
  httpGet: field(2, httpGetAction),
  tcpSocket: field(3, tcpSocketAction),
  grpc: field(4, grpcAction),
};
const probeFields = {
  ...embedded(1, probeHandler),
  initialDelaySeconds: field(2, int32),
  timeoutSeconds: field(3, int32, { default: 1 }),
  periodSeconds: field(4, int32, { default: 10 }),
  successThreshold: field(5, int32, { default: 1 }),
  failureThreshold: field(6, int32, { default: 3 }),
  terminationGracePeriodSeconds: pointer(7, int64),
};
export interface Probe extends Shape<typeof probeFields> {}
export const probe = struct<Probe>('Probe', probeFields, { union: Object.keys(probeHandler) });
