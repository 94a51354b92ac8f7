/** Recordings of a real kubelet for the workshop's judge, without what it does not compare. */

/** Returns the fields of `from` that `fields` names and that are there. */
const pick = (from, ...fields) => Object.fromEntries(fields.filter((f) => f in (from ?? {})).map((f) => [f, from[f]]));

const COMPARED = /^(Run|Create|Start|Stop|Remove)(PodSandbox|Container)$/;

const trimmedRequest = ({ config, sandboxConfig, ...request }) => ({
  ...pick(request, 'podSandboxId', 'containerId', 'timeout'),
  ...(config && { config: pick(config, 'metadata') }),
  ...(sandboxConfig && { sandboxConfig: pick(sandboxConfig, 'metadata') }),
});

const trimmedContainer = (c) => ({
  ...pick(c, 'name', 'ready', 'restartCount'),
  state: {
    ...(c.state?.running && { running: {} }),
    ...(c.state?.waiting && { waiting: pick(c.state.waiting, 'reason') }),
    ...(c.state?.terminated && { terminated: pick(c.state.terminated, 'exitCode') }),
  },
});

const trimmedStatus = ({ phase, conditions, initContainerStatuses, containerStatuses }) => ({
  phase,
  ...(conditions && { conditions: conditions.map((c) => pick(c, 'type', 'status', 'reason')) }),
  ...(initContainerStatuses && { initContainerStatuses: initContainerStatuses.map(trimmedContainer) }),
  ...(containerStatuses && { containerStatuses: containerStatuses.map(trimmedContainer) }),
});

const trimmedPods = (pods) => pods.map(({ name, uid, status = {} }) => ({ name, uid, status: trimmedStatus(status) }));

/** Returns the snapshots that differ from those before them, and the last one, which says how long that one lasted. */
function changes(snapshots) {
  let before = '';
  return snapshots.filter(({ pods }, i) => {
    const text = JSON.stringify(pods);
    const isNew = text !== before;
    before = text;
    return isNew || i === snapshots.length - 1;
  });
}

/** Trims a recording. Its shape stays. */
export const trimmed = ({ scenario, about = '', kubelet = '', steps, cri, status }) => ({
  scenario,
  about,
  kubelet,
  steps,
  cri: cri
    .filter(({ method }) => COMPARED.test(method))
    .map(({ request, response, ...call }) => ({
      ...pick(call, 'seq', 'at', 'tookMs', 'method', 'error'),
      request: trimmedRequest(request),
      ...(response && { response: pick(response, 'podSandboxId', 'containerId') }),
    })),
  status: changes(status.map(({ at, pods }) => ({ at, pods: trimmedPods(pods) }))),
});
