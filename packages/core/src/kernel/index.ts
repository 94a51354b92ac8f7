export { formatDuration, Hour, Microsecond, Millisecond, Minute, Second } from '../base/index.js';
export { Chan, type ChanOptions, makeChan, range, receive, send } from './chan.js';
export * from './clock.js';
export * from './context.js';
export * from './errors.js';
export {
  call,
  current,
  currentOrNull,
  frame,
  frameSync,
  type Go,
  Goroutine,
  gosched,
  type Op,
  type Process,
  sleep,
} from './go.js';
export {
  describeWait,
  type GoOptions,
  Kernel,
  type KernelOptions,
  type StepResult,
  type TimerHandle,
} from './kernel.js';
export * from './policy.js';
export { Random } from './random.js';
export * from './select.js';
export * from './sync.js';
export { after, Ticker, type TickerOptions, Timer } from './timer.js';
