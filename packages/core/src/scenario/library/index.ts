import type { Scenario } from '../scenario.js';
import { admissionRefused } from './admission-refused.js';
import { apiPod } from './api-pod.js';
import { apiUnreachable } from './api-unreachable.js';
import { brokenManifest } from './broken-manifest.js';
import { configError } from './config-error.js';
import { containerKilled } from './container-killed.js';
import { crashLoop } from './crash-loop.js';
import { createError } from './create-error.js';
import { deadline } from './deadline.js';
import { debugContainer } from './debug-container.js';
import { type LibraryEntry, scenarioIn, starter } from './entries.js';
import { flappingProbe } from './flapping-probe.js';
import { fullNode } from './full-node.js';
import { gracefulDelete } from './graceful-delete.js';
import { imageMissing } from './image-missing.js';
import { initAndSidecar } from './init-and-sidecar.js';
import { initFailing } from './init-failing.js';
import { kubeletCrash } from './kubelet-crash.js';
import { kubeletRestart } from './kubelet-restart.js';
import { liveness } from './liveness.js';
import { manyPods } from './many-pods.js';
import { memoryPressure } from './memory-pressure.js';
import { mirrorPod } from './mirror-pod.js';
import { networkNotReady } from './network-not-ready.js';
import { oom } from './oom.js';
import { plegUnhealthy } from './pleg-unhealthy.js';
import { postStartFails } from './post-start-fails.js';
import { preStopHangs } from './pre-stop-hangs.js';
import { preemption } from './preemption.js';
import { pullRefused } from './pull-refused.js';
import { readiness } from './readiness.js';
import { resize } from './resize.js';
import { restartRules } from './restart-rules.js';
import { runToCompletion } from './run-to-completion.js';
import { runtimeStopped } from './runtime-stopped.js';
import { sameUidAgain } from './same-uid-again.js';
import { sandboxError } from './sandbox-error.js';
import { sandboxKilled } from './sandbox-killed.js';
import { sidecarOrder } from './sidecar-order.js';
import { slowPull } from './slow-pull.js';
import { slowRuntime } from './slow-runtime.js';
import { startError } from './start-error.js';
import { startupProbe } from './startup-probe.js';
import { staticPodEdited } from './static-pod-edited.js';
import { stopError } from './stop-error.js';
import { twoPods } from './two-pods.js';
import { unfairSelect } from './unfair-select.js';
import { updateInPlace } from './update-in-place.js';
import { volumeMissing } from './volume-missing.js';

/** Scenarios that come with the program, in the order to meet them. */
export const library: readonly LibraryEntry[] = [
  starter,
  { name: 'crash-loop', text: crashLoop },
  { name: 'init-and-sidecar', text: initAndSidecar },
  { name: 'liveness', text: liveness },
  { name: 'graceful-delete', text: gracefulDelete },
  { name: 'image-missing', text: imageMissing },
  { name: 'container-killed', text: containerKilled },
  { name: 'run-to-completion', text: runToCompletion },
  { name: 'readiness', text: readiness },
  { name: 'startup-probe', text: startupProbe },
  { name: 'flapping-probe', text: flappingProbe },
  { name: 'init-failing', text: initFailing },
  { name: 'static-pod-edited', text: staticPodEdited },
  { name: 'update-in-place', text: updateInPlace },
  { name: 'same-uid-again', text: sameUidAgain },
  { name: 'broken-manifest', text: brokenManifest },
  { name: 'api-pod', text: apiPod },
  { name: 'mirror-pod', text: mirrorPod },
  { name: 'debug-container', text: debugContainer },
  { name: 'many-pods', text: manyPods },
  { name: 'full-node', text: fullNode },
  { name: 'two-pods', text: twoPods },
  { name: 'slow-runtime', text: slowRuntime },
  { name: 'unfair-select', text: unfairSelect },
  { name: 'pull-refused', text: pullRefused },
  { name: 'slow-pull', text: slowPull },
  { name: 'config-error', text: configError },
  { name: 'sandbox-error', text: sandboxError },
  { name: 'create-error', text: createError },
  { name: 'start-error', text: startError },
  { name: 'post-start-fails', text: postStartFails },
  { name: 'volume-missing', text: volumeMissing },
  { name: 'oom', text: oom },
  { name: 'restart-rules', text: restartRules },
  { name: 'deadline', text: deadline },
  { name: 'resize', text: resize },
  { name: 'pre-stop-hangs', text: preStopHangs },
  { name: 'stop-error', text: stopError },
  { name: 'sidecar-order', text: sidecarOrder },
  { name: 'sandbox-killed', text: sandboxKilled },
  { name: 'admission-refused', text: admissionRefused },
  { name: 'preemption', text: preemption },
  { name: 'memory-pressure', text: memoryPressure },
  { name: 'network-not-ready', text: networkNotReady },
  { name: 'runtime-stopped', text: runtimeStopped },
  { name: 'pleg-unhealthy', text: plegUnhealthy },
  { name: 'api-unreachable', text: apiUnreachable },
  { name: 'kubelet-restart', text: kubeletRestart },
  { name: 'kubelet-crash', text: kubeletCrash },
];

/** A scenario of the library. Throws a ScenarioError that suggests the name most like it. */
export const findScenario = (name: string): Scenario => scenarioIn(library, name);
