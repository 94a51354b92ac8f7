/** Breakpoints as a browser has kept them: an older page may have written them, or somebody by hand. */
import { type BreakpointSpec, MAX_BREAKPOINTS, parseBreakpoint } from '@syncloop/core/debug/breakpoints';

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Reads the kept breakpoints, each id once, and the problems of those that cannot be read. */
export function keptBreakpoints(text: string): {
  readonly specs: readonly BreakpointSpec[];
  readonly lost: readonly string[];
} {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch (error) {
    return { specs: [], lost: [reason(error)] };
  }
  if (!Array.isArray(list)) return { specs: [], lost: ['breakpoints: it must be a list'] };
  const specs = new Map<string, BreakpointSpec>();
  const lost: string[] = [];
  list.slice(0, MAX_BREAKPOINTS).forEach((item: unknown, i) => {
    try {
      const spec = parseBreakpoint(item, `breakpoints[${i}]`);
      specs.set(spec.id, spec);
    } catch (error) {
      lost.push(reason(error));
    }
  });
  return { specs: [...specs.values()], lost };
}
