// What becomes of one run of a probe? So far each success is published at once, and a failure never.
export function doProbe(state: ProbeState | null, input: ProbeInput): { state: ProbeState | null; output: ProbeOutput } {
  return { state, output: { publish: input.result === 'Success' ? 'Success' : null, hold: false } };
}
