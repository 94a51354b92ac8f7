export const postStartFails = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: post-start-fails
  title:
    en: The postStart hook fails
    zh: postStart 钩子失败
  summary:
    en: The container runs, but its postStart hook - the fourth and last step of startContainer - ends with an error. The kubelet kills the healthy container because of it. While the hook runs, the pod's worker does nothing else.
    zh: 容器运行起来了，但它的 postStart 钩子（startContainer 的第四步，也是最后一步）出错。kubelet 因此杀掉这个好好的容器。钩子运行期间，这个 Pod 的 worker 什么别的也不做。
spec:
  seed: 1
  node:
    fileCheckFrequency: 1s
    clusterDNS: ["10.96.0.10"]
  steps:
    - apply:
        apiVersion: v1
        kind: Pod
        metadata:
          name: hooked
        spec:
          terminationGracePeriodSeconds: 3
          containers:
            - name: app
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.2; done"]
              lifecycle:
                postStart:
                  exec:
                    # Nobody has registered this app.
                    command: ["sh", "-c", "sleep 2; exit 1"]
            - name: neighbour
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              # It has to wait: containers start one by one.
              command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.2; done"]
    - waitFor: { pod: hooked, container: app, restarts: 1, timeout: 40s }
    - waitFor: { pod: hooked, container: app, waiting: CrashLoopBackOff, timeout: 40s }
    - wait: 3s
    - delete: hooked
    - waitFor: { pod: hooked, gone: true, timeout: 30s }
    - wait: 3s
expect:
  - { pod: hooked, gone: true }
  - event: { pod: hooked, reason: FailedPostStartHook, message: PostStartHook failed, atLeast: 2 }
  - event: { pod: hooked, reason: Killing, message: FailedPostStartHook, atLeast: 2 }
  - event: { pod: hooked, reason: BackOff, message: restarting failed container app, atLeast: 1 }
  - sequence:
      - { kind: step, where: "fn == 'startContainer' && n == 4 && container == 'app'" }
      - { kind: cri-call, where: "method == 'ExecSync'" }
      - { kind: cri-call, where: "method == 'StopContainer'" }
      - { kind: step, where: "fn == 'startContainer' && n == 1 && container == 'neighbour'" }
  - records: { kind: actual-container, where: "name == 'neighbour' && state == 'running'", exactly: 1 }
`;
