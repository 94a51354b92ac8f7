export const sandboxError = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: sandbox-error
  title:
    en: The sandbox cannot be made
    zh: 沙箱建不起来
  summary:
    en: RunPodSandbox fails twice, as when the network plugin is broken. SyncPod ends at step 4 and no container is tried. The worker puts the pod into the work queue for 10 to 15 s, and the third attempt works.
    zh: RunPodSandbox 失败两次，就像网络插件坏了一样。SyncPod 停在第 4 步，不会去碰任何容器。worker 把 Pod 放进工作队列，10 到 15 秒后再试，第三次成功。
spec:
  seed: 1
  node:
    fileCheckFrequency: 1s
    clusterDNS: ["10.96.0.10"]
  steps:
    - fault:
        method: RunPodSandbox
        times: 2
        error:
          code: Unknown
          message: 'failed to setup network for sandbox: plugin type="bridge" failed (add): no free addresses'
    - apply:
        apiVersion: v1
        kind: Pod
        metadata:
          name: web
        spec:
          terminationGracePeriodSeconds: 2
          containers:
            - name: app
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.2; done"]
    - waitFor: { pod: web, phase: Running, timeout: 60s }
    - wait: 4s
expect:
  - { pod: web, phase: Running }
  - { pod: web, container: app, running: true, atMostRestarts: 0 }
  - event: { pod: web, reason: FailedCreatePodSandBox, message: no free addresses, exactly: 2 }
  - sequence:
      - { kind: step, where: "name == 'create sandbox'" }
      - { kind: queue }
      - { kind: work-done, where: "contains(error, 'CreatePodSandboxError')" }
      - { kind: decision, where: "rule == 'getPodsToSync' && verdict == 'due'" }
      - { kind: cri-call, where: "method == 'RunPodSandbox'" }
      - { kind: cri-call, where: "method == 'RunPodSandbox'" }
      - { kind: actual-sandbox, where: "state == 'ready' && attempt == 0" }
  - records: { kind: cri-call, where: "method == 'RunPodSandbox'", exactly: 3 }
  - records: { kind: cri-call, where: "method == 'CreateContainer'", exactly: 1 }
`;
