/** Replays a recording's steps against our kubelet on the mock runtime, in virtual time. */
import { runGolden } from '@syncloop/core/conformance';
import { defaultEra, type EraVersion } from '@syncloop/core/kubelet';
import { version } from '../base/version.js';
import { withBuffers } from './cri-log.js';
import { needsApiServer, type Recording } from './recording.js';

/** Runs our kubelet on the same steps and returns its recording, and the steps that did not go as they should. */
export function runOnMock(
  reference: Recording,
  seed: number,
  era: EraVersion = defaultEra,
): { recording: Recording; problems: readonly string[] } {
  const { scenario, about, steps } = reference;
  const { problems, ...made } = runGolden(
    { scenario, ...(about !== undefined && { about }), steps, apiServer: needsApiServer(reference) },
    { seed, era },
  );
  const recording = made as unknown as Recording;
  const cri = recording.cri.map((entry) => ({ ...entry, request: withBuffers(entry.method, entry.request) }));
  return { recording: { ...recording, kubelet: `syncloop ${version}`, cri }, problems };
}
