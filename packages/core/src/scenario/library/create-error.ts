export const createError = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: create-error
  title:
    en: CreateContainer fails
    zh: CreateContainer 失败
  summary:
    en: The sandbox is there and the image, too, but the runtime cannot create the container. It waits with the reason CreateContainerError, the sandbox is kept, and the next pass tries just the container again.
    zh: 沙箱有了，镜像也有了，但运行时创建不了容器。容器以 CreateContainerError 为由等待，沙箱保留，下一轮只重试这个容器。
spec:
  seed: 1
  node:
    fileCheckFrequency: 1s
    clusterDNS: ["10.96.0.10"]
  steps:
    - fault:
        method: CreateContainer
        container: app
        times: 2
        error: { code: Unknown, message: "failed to create containerd container: no space left on device" }
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
            - name: other
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.2; done"]
    - waitFor: { pod: web, container: app, waiting: CreateContainerError, timeout: 20s }
    - waitFor: { pod: web, phase: Running, timeout: 60s }
    - wait: 4s
expect:
  - { pod: web, phase: Running }
  - { pod: web, container: app, running: true, atMostRestarts: 0 }
  - { pod: web, container: other, running: true, atMostRestarts: 0 }
  - event: { pod: web, reason: Failed, message: no space left on device, exactly: 2 }
  - records: { kind: step, where: "fn == 'startContainer' && n == 2 && container == 'app'", exactly: 3 }
  - records: { kind: step, where: "fn == 'startContainer' && n == 3 && container == 'app'", exactly: 1 }
  - records: { kind: cri-call, where: "method == 'RunPodSandbox'", exactly: 1 }
  # What never ran is no crash.
  - never: { kind: backoff, where: "of == 'crash-loop'" }
`;
