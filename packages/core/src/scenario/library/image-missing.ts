export const imageMissing = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: image-missing
  title:
    en: An image that cannot be pulled
    zh: 拉不到的镜像
  summary:
    en: The registry does not know the image. ErrImagePull turns into ImagePullBackOff, with longer and longer waits, until somebody pushes the image - then the pod starts by itself.
    zh: 镜像仓库里没有这个镜像。ErrImagePull 变成 ImagePullBackOff，等待越来越长；直到有人推送了镜像，Pod 就会自己启动。
spec:
  seed: 1
  node:
    fileCheckFrequency: 1s
  registry:
    - { ref: "registry.example/team/app:1.0", answer: not-found }
  steps:
    - apply:
        apiVersion: v1
        kind: Pod
        metadata:
          name: app
        spec:
          terminationGracePeriodSeconds: 3
          containers:
            - name: app
              image: registry.example/team/app:1.0
              command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.2; done"]
    - waitFor: { pod: app, container: app, waiting: ImagePullBackOff, timeout: 30s }
    - wait: 20s
    # Somebody pushes the image; nobody tells the kubelet, its next try finds it.
    - registry: { ref: "registry.example/team/app:1.0", answer: serve, size: 20000000, programs: busybox }
    - waitFor: { pod: app, phase: Running, timeout: 120s }
    - wait: 3s
    - delete: app
    - waitFor: { pod: app, gone: true, timeout: 20s }
    - wait: 3s
expect:
  - { pod: app, gone: true }
  - event: { pod: app, reason: Failed, message: "Error: ErrImagePull", atLeast: 1 }
  - event: { pod: app, reason: Failed, message: "Error: ImagePullBackOff", atLeast: 1 }
  - event: { pod: app, reason: BackOff, type: Normal, message: Back-off pulling image, atLeast: 1 }
  - event: { pod: app, reason: Pulled, exactly: 1 }
  - sequence:
      - { kind: actual-image, where: "state == 'failed'" }
      - { kind: backoff, where: "of == 'image-pull' && active" }
      - { kind: actual-image, where: "state == 'present'" }
      - { kind: cri-call, where: "method == 'StartContainer'" }
  - never: { kind: backoff, where: "of == 'crash-loop'" }
`;
