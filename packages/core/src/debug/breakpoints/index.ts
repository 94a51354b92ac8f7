export { BreakpointSet, type BreakpointStatus } from './breakpoint-set.js';
export { describeBreakpoint } from './describe.js';
export {
  type BreakpointKind,
  type BreakpointOn,
  breakpointFields,
  breakpointKinds,
  breakpointTitle,
  type FieldKind,
} from './kinds.js';
export { BreakpointError, MAX_BREAKPOINTS, parseBreakpoint, parseBreakpoints } from './parse.js';
export { type Records, type SearchOptions, search } from './search.js';
export type {
  BreakpointCommon,
  BreakpointSpec,
  Hit,
  HitCount,
  SpecOf,
} from './spec.js';
