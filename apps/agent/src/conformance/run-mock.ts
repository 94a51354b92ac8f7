/** Replays a recording's steps against our kubelet on the mock runtime, in virtual time. */
import { type GoldenOptions, runGolden } from '@syncloop/core/conformance';
import { needsApiServer, type Recording } from '@syncloop/core/conformance/compare';
import { defaultEra } from '@syncloop/core/kubelet';
import { version } from '../base/version.js';
import { withBuffers } from './cri-log.js';

/** Runs our kubelet on the same steps and returns its recording, and the steps that did not go as they should. */
export function runOnMock(
  reference: Recording,
  seed: number,
  { era = defaultEra, emulatedVersion }: Pick<GoldenOptions, 'era' | 'emulatedVersion'> = {},
): { recording: Recording; problems: readonly string[] } {
  const { scenario, about, steps } = reference;
  const { problems, ...made } = runGolden(
    { scenario, ...(about !== undefined && { about }), steps, apiServer: needsApiServer(reference) },
    { seed, era, ...(emulatedVersion !== undefined && { emulatedVersion }) },
  );
  const recording = made as unknown as Recording;
  const cri = recording.cri.map((entry) => ({ ...entry, request: withBuffers(entry.method, entry.request) }));
  return { recording: { ...recording, kubelet: `syncloop ${version}`, cri }, problems };
}
