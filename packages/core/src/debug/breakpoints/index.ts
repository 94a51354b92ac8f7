export { BreakpointSet, type BreakpointStatus } from './breakpoint-set.js';
export { describeBreakpoint } from './describe.js';
export { breakpointFields, breakpointKinds, type FieldKind } from './fields.js';
export { BreakpointError, MAX_BREAKPOINTS, parseBreakpoint, parseBreakpoints } from './parse.js';
export { type Records, type SearchOptions, search } from './search.js';
export type {
  BreakpointCommon,
  BreakpointKind,
  BreakpointOn,
  BreakpointSpec,
  Hit,
  HitCount,
  SpecOf,
} from './spec.js';
