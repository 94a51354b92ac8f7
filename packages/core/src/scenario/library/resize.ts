/** The whole container, as a merge patch wants it. */
const resources = (cpu: string, memory: string): string => `edit:
        pod: web
        patch:
          spec:
            containers:
              - name: app
                image: localhost/busybox:dev
                imagePullPolicy: IfNotPresent
                command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.2; done"]
                resources:
                  requests: { cpu: ${cpu}, memory: ${memory} }
                  limits: { cpu: ${cpu}, memory: ${memory} }
                resizePolicy:
                  - { resourceName: cpu, restartPolicy: NotRequired }
                  - { resourceName: memory, restartPolicy: RestartContainer }`;

export const resize = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: resize
  title:
    en: Resizing a pod in place
    zh: 原地调整 Pod 的资源
  summary:
    en: More CPU comes to the running container by UpdateContainerResources, nothing stops. More memory needs a restart here, as the resizePolicy says. More than the node has must wait - the pod keeps what was allocated to it.
    zh: 增加 CPU 时，用 UpdateContainerResources 改正在运行的容器，什么都不停。增加内存则要重启容器，这是 resizePolicy 规定的。超过节点总量的只能等着，Pod 仍用之前分配给它的资源。
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
          name: web
          uid: 11111111-2222-3333-4444-555555555555
        spec:
          terminationGracePeriodSeconds: 2
          containers:
            - name: app
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.2; done"]
              resources:
                requests: { cpu: 200m, memory: 64Mi }
                limits: { cpu: 200m, memory: 64Mi }
              resizePolicy:
                - { resourceName: cpu, restartPolicy: NotRequired }
                - { resourceName: memory, restartPolicy: RestartContainer }
    - waitFor: { pod: web, phase: Running, timeout: 20s }
    - wait: 3s
    # More CPU, in place.
    - ${resources('500m', '64Mi')}
    - wait: 5s
    - assert: { pod: web, container: app, running: true, atMostRestarts: 0 }
    # More memory, with a restart of the container.
    - ${resources('500m', '128Mi')}
    - waitFor: { pod: web, container: app, restarts: 1, timeout: 20s }
    - waitFor: { pod: web, phase: Running, timeout: 20s }
    - wait: 3s
    # More than the four CPUs of the node.
    - ${resources('"9"', '128Mi')}
    - wait: 5s
    - assert: { pod: web, phase: Running }
    # Taken back.
    - ${resources('500m', '128Mi')}
    - wait: 5s
expect:
  - { pod: web, phase: Running }
  - { pod: web, container: app, running: true, restarts: 1, atMostRestarts: 1 }
  - event: { pod: web, reason: ResizeStarted, exactly: 2 }
  - event: { pod: web, reason: ResizeCompleted, exactly: 2 }
  - event: { pod: web, reason: ResizeDeferred, exactly: 1 }
  - event: { pod: web, reason: Killing, message: Container app resize requires restart, exactly: 1 }
  - sequence:
      - { kind: step, where: "name == 'resize running containers'" }
      - { kind: cri-call, where: "method == 'UpdateContainerResources'" }
      - { kind: decision, where: "rule == 'computePodResizeAction' && verdict == 'kill and restart'" }
      - { kind: cri-call, where: "method == 'StopContainer'" }
      - { kind: decision, where: "rule == 'canAdmitPod' && verdict != 'admit' && values.operation == 'resize'" }
  - records: { kind: cri-call, where: "method == 'UpdateContainerResources'", exactly: 1 }
  - records: { kind: cri-call, where: "method == 'StopContainer'", exactly: 1 }
`;
