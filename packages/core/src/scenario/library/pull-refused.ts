export const pullRefused = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: pull-refused
  title:
    en: Three images, three reasons
    zh: 三个镜像，三种原因
  summary:
    en: Step 1 of startContainer can fail in many ways. The registry wants a login (ErrImagePull), the policy forbids a pull (ErrImageNeverPull), the name is no name (InvalidImageName). The pod itself stays Pending with a good sandbox.
    zh: startContainer 的第 1 步有很多种失败方式。镜像仓库要求登录（ErrImagePull），策略不许拉取（ErrImageNeverPull），名字不成名字（InvalidImageName）。Pod 本身停在 Pending，沙箱倒是好的。
spec:
  seed: 1
  node:
    fileCheckFrequency: 1s
    clusterDNS: ["10.96.0.10"]
  registry:
    - { ref: "registry.example/private:1", answer: unauthorized }
  steps:
    - apply:
        apiVersion: v1
        kind: Pod
        metadata:
          name: refused
        spec:
          terminationGracePeriodSeconds: 2
          containers:
            - name: login
              image: registry.example/private:1
            - name: never
              image: registry.example/elsewhere:1
              imagePullPolicy: Never
            - name: typo
              image: registry.example/Web:1
    - waitFor: { pod: refused, container: login, waiting: ErrImagePull, timeout: 20s }
    - waitFor: { pod: refused, container: never, waiting: ErrImageNeverPull, timeout: 20s }
    - waitFor: { pod: refused, container: typo, waiting: InvalidImageName, timeout: 20s }
    - waitFor: { pod: refused, container: login, waiting: ImagePullBackOff, timeout: 40s }
    - wait: 3s
    - delete: refused
    - waitFor: { pod: refused, gone: true, timeout: 20s }
    - wait: 3s
expect:
  - { pod: refused, gone: true }
  - event: { pod: refused, reason: Failed, message: "Error: ErrImagePull", atLeast: 1 }
  - event: { pod: refused, reason: Failed, message: "Error: ImagePullBackOff", atLeast: 1 }
  - event: { pod: refused, reason: ErrImageNeverPull, message: is not present with pull policy of Never, atLeast: 1 }
  - event: { pod: refused, reason: InspectFailed, message: couldn't parse image name, atLeast: 1 }
  - records: { kind: actual-sandbox, where: "state == 'ready'", exactly: 1 }
  - never: { kind: cri-call, where: "method == 'CreateContainer'" }
  # Where the policy or the name forbids it, nothing is asked of the registry.
  - never: { kind: cri-call, where: "method == 'PullImage' && request.image.image != 'registry.example/private:1'" }
`;
