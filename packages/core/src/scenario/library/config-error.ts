export const configError = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: config-error
  title:
    en: A container that must not run like this
    zh: 不许这样运行的容器
  summary:
    en: The pod says runAsNonRoot, but the image would run as root. The kubelet notices before it asks the runtime - no CreateContainer call is made, the container waits with CreateContainerConfigError.
    zh: Pod 写了 runAsNonRoot，镜像却要以 root 运行。kubelet 在请求运行时之前就发现了：不会有 CreateContainer 调用，容器以 CreateContainerConfigError 等待。
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
          name: rooted
        spec:
          terminationGracePeriodSeconds: 2
          securityContext:
            runAsNonRoot: true
          containers:
            - name: app
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sleep", "600"]
            - name: careful
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.2; done"]
              securityContext:
                runAsUser: 1000
    - waitFor: { pod: rooted, container: app, waiting: CreateContainerConfigError, timeout: 20s }
    - wait: 16s
    - delete: rooted
    - waitFor: { pod: rooted, gone: true, timeout: 20s }
    - wait: 3s
expect:
  - { pod: rooted, gone: true }
  - event: { pod: rooted, reason: Failed, message: container has runAsNonRoot and image will run as root, atLeast: 2 }
  - event: { pod: rooted, reason: Started, exactly: 1 }
  - never: { kind: cri-call, where: "method == 'CreateContainer' && request.config.metadata.name == 'app'" }
  # The failure of one container does not keep the next from starting.
  - records: { kind: actual-container, where: "name == 'careful' && state == 'running'", exactly: 1 }
`;
