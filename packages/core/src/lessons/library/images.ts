export const images = `apiVersion: syncloop.dev/v1alpha1
kind: Lesson
metadata:
  name: images
  title:
    en: Pulling an image, and failing at it
    zh: 拉取镜像，以及拉取失败
  summary:
    en: Before a container is created its image must be there. Follow a pull that fails, tell ErrImagePull from ImagePullBackOff, and see what the pull policy decides and what the back-off does not stop.
    zh: 创建容器之前，镜像得在节点上。跟着一次失败的拉取，分清 ErrImagePull 和 ImagePullBackOff，看看拉取策略决定什么，退避又拦不住什么。
  minutes: 9
spec:
  goal:
    en: You can say when the kubelet asks the registry, what it does after a failure, and how a pod starts although it says \`ImagePullBackOff\`.
    zh: 你能说出 kubelet 何时去问镜像仓库、失败后怎么做，以及 Pod 写着 \`ImagePullBackOff\` 时怎样照样启动。
  scenario:
    apiVersion: syncloop.dev/v1alpha1
    kind: Scenario
    metadata:
      name: images
    spec:
      seed: 1
      node:
        fileCheckFrequency: 1s
        clusterDNS: ["10.96.0.10"]
      registry:
        - { ref: "registry.example/team/app:1.0", answer: not-found }
      steps:
        - apply:
            apiVersion: v1
            kind: Pod
            metadata:
              name: web
            spec:
              terminationGracePeriodSeconds: 2
              containers:
                - name: app
                  image: registry.example/team/app:1.0
                  command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.2; done"]
        - wait: 10m
  seed: 1
  steps:
    - title:
        en: Step 1 of startContainer
        zh: startContainer 的第 1 步
      text:
        en: |-
          The sandbox of \`web\` is ready; it did not need the app's image. Now comes the container, and the first of the four steps of \`startContainer\` is \`{{ fn }}\`.

          The manifest sets no policy. The tag is not \`latest\`, so it is \`{{ state.goroutines[text(g)].stack[-1].args.pullPolicy }}\`: ask the runtime first, pull only what is not there.
        zh: |-
          \`web\` 的沙箱已经就绪，它用不着应用的镜像。现在轮到容器，\`startContainer\` 四步中的第一步就是 \`{{ fn }}\`。

          清单没写策略，标签又不是 \`latest\`，所以是 \`{{ state.goroutines[text(g)].stack[-1].args.pullPolicy }}\`：先问运行时，没有才拉取。
      do:
        - until: "kind == 'enter' && fn == 'EnsureImageExists'"
          pace: fast
      show: { level: loop, select: { pod: web }, source: EnsureImageExists }
      holds:
        - "state.goroutines[text(g)].stack[-1].args.pullPolicy == 'IfNotPresent'"
        - "count(state.sandboxes, s => s.state == 'ready') == 1"
        - { never: { kind: cri-call, where: "method == 'PullImage'" } }

    - title:
        en: One at a time
        zh: 一次一个
      text:
        en: |-
          \`ImageStatus\` found nothing, so \`{{ method }}\` goes out. It is not the pod's worker that calls it, but \`{{ goroutine.name }}\`: one goroutine for the node, and one image after the other, unless \`serializeImagePulls\` is off.

          The worker waits for it, with no time limit. Other pods' workers go on.
        zh: |-
          \`ImageStatus\` 什么也没找到，于是发出 \`{{ method }}\`。调用它的不是 Pod 的 worker，而是 \`{{ goroutine.name }}\`：整个节点一个 goroutine，镜像一个接一个，除非关掉 \`serializeImagePulls\`。

          worker 在等它，没有时限。别的 Pod 的 worker 不受影响。
      do:
        - until: "kind == 'cri-call' && method == 'PullImage'"
      show: { level: everything, select: { part: images }, source: PullImage }
      holds:
        - "goroutine.name == 'processImagePullRequests'"
        - { records: { kind: decision, where: "rule == 'imagePullPrecheck' && verdict == 'absent'", exactly: 1 } }
        - "any(state.goroutines, w => w.name == 'podWorker default/web-node1' && w.state == 'waiting')"

    - name: failed
      title:
        en: It fails
        zh: 失败了
      text:
        en: |-
          The registry does not know the image. The reason is \`ErrImagePull\`, and at this moment the back-off gets its entry: {{ seconds(delay) }} s, **from the failure on**, until {{ seconds(until) }} s.

          Its key is the pod's UID and the image. So another pod that wants the same image has an entry of its own.
        zh: |-
          镜像仓库没有这个镜像。原因是 \`ErrImagePull\`，就在这一刻，退避得到它的条目：{{ seconds(delay) }} 秒，**从失败时算起**，到第 {{ seconds(until) }} 秒为止。

          它的键是 Pod 的 UID 加镜像，所以要同一个镜像的另一个 Pod 有自己的条目。
      do:
        - until: "kind == 'backoff' && of == 'image-pull'"
      show: { level: loop, select: { record: here }, panel: events, tab: why }
      holds:
        - "active && delay == 10s && until == time + 10s"
        - { event: { pod: web, reason: Failed, message: "Failed to pull image", type: Warning, exactly: 1 } }

    - title:
        en: The next round comes soon
        zh: 下一轮来得很快
      ask:
        question:
          en: Within a second the PLEG tells that the sandbox has started, and \`SyncPod\` is called again. The back-off still runs. What does this round ask the runtime about the image?
          zh: 一秒之内，PLEG 报告沙箱已启动，\`SyncPod\` 又被调用。退避还没结束。这一轮就镜像问运行时什么？
        options:
          - value: PullImage
            text:
              en: "\`PullImage\`: a round with a new event is a new try"
              zh: "\`PullImage\`：有新事件的一轮就是一次新的尝试"
            wrong:
              en: It does not matter what brought the round. \`pullImage\` looks at the entry under the pod's UID and the image, and gives up before the call.
              zh: 这一轮因何而来并不要紧。\`pullImage\` 看 Pod 的 UID 加镜像的条目，在调用之前就放弃了。
          - value: ImageStatus
            text:
              en: "\`ImageStatus\`: is it there by now?"
              zh: "\`ImageStatus\`：现在有了吗"
          - value: nothing
            text:
              en: Nothing, the back-off comes first
              zh: 什么也不问，先看退避
            wrong:
              en: The back-off guards the pull only. Whether the image is there is asked before it, each time.
              zh: 退避只管拉取。镜像在不在，每次都在它之前问。
        then:
          - until: "kind == 'work-done' && error =~ 'ImagePullBackOff'"
        answer: "last(state.cri.recent, c => c.method in ['PullImage', 'ImageStatus']).seq > first(state.pods['web'].steps, s => s.fn == 'SyncPod').seq ? last(state.cri.recent, c => c.method in ['PullImage', 'ImageStatus']).method : 'nothing'"
        right:
          en: "\`ImageStatus\` only; somebody may have put the image there. Then the back-off says no: the reason is now \`ImagePullBackOff\`, with the old error in its message. Its event \`BackOff\` is Normal here; that of a crash loop is a Warning."
          zh: "只有 \`ImageStatus\`，说不定有人把镜像放上去了。然后退避说不行：原因变成 \`ImagePullBackOff\`，旧的错误写在消息里。这里的 \`BackOff\` 事件是 Normal，崩溃循环的则是 Warning。"

    - title:
        en: When is the next pull?
        zh: 下一次拉取在什么时候
      ask:
        question:
          en: This round ended at {{ seconds(time) }} s, and the back-off runs until {{ seconds(first(state.pods['web'].backoffs, b => b.of == 'image-pull').until) }} s. When does the next \`PullImage\` go out?
          zh: 这一轮在第 {{ seconds(time) }} 秒结束，退避到第 {{ seconds(first(state.pods['web'].backoffs, b => b.of == 'image-pull').until) }} 秒为止。下一次 \`PullImage\` 什么时候发出？
        options:
          - value: after
            text:
              en: Some seconds after the end of the back-off
              zh: 退避结束之后几秒
          - value: exact
            text:
              en: When the back-off ends
              zh: 退避一结束
            wrong:
              en: No timer runs for the back-off. It is only looked at when a round comes along.
              zh: 退避没有定时器。只有一轮走到这里时才会看它。
          - value: never
            text:
              en: Not before something changes - a manifest, or an image
              zh: 要等有什么变化：清单或者镜像
            wrong:
              en: A round that ends with an error is queued again, even if nothing changes.
              zh: 以错误结束的一轮会再排队，哪怕什么也没变。
        then:
          - until: "kind == 'cri-call' && method == 'PullImage'"
            pace: fast
        answer: "time - first(state.pods['web'].backoffs, b => b.of == 'image-pull').until > 500ms ? 'after' : 'exact'"
        right:
          en: At {{ seconds(time) }} s. Unlike the error of a crash loop, that of an image carries no time. So \`completeWork\` queued the pod as after any error, 10 to 15 s after the round, and that round found the back-off over.
          zh: 第 {{ seconds(time) }} 秒。和崩溃循环不同，镜像的错误不带时刻，所以 \`completeWork\` 像对待任何错误一样排队，在那一轮之后 10 到 15 秒；那时退避已经结束。

    - name: again
      title:
        en: Two reasons in turn
        zh: 两种原因交替出现
      text:
        en: |-
          It failed again: {{ seconds(delay) }} s now, until {{ seconds(until) }} s; later 40, 80, 160, and at most 300 s.

          A round that tried says \`ErrImagePull\`, a round that was held back says \`ImagePullBackOff\`, and the status shows that of the round **before**. So they take turns, and only one of them means that the registry was asked.
        zh: |-
          又失败了：现在是 {{ seconds(delay) }} 秒，到第 {{ seconds(until) }} 秒；以后是 40、80、160，最多 300 秒。

          试过的一轮写 \`ErrImagePull\`，被拦下的一轮写 \`ImagePullBackOff\`，而状态显示的是**上一轮**的。所以两者交替出现，只有一种意味着真的问过镜像仓库。
      do:
        - until: "kind == 'backoff' && active && delay == 20s"
      show: { level: loop, select: { pod: web }, panel: events }
      holds:
        - "first(state.pods['web'].backoffs, b => b.of == 'image-pull').delay == 20s"
        - { records: { kind: cri-call, where: "method == 'PullImage'", exactly: 2 } }
        - { event: { pod: web, reason: BackOff, type: Normal, exactly: 1 } }
        - "state.pods['web'].status.containerStatuses[0].state.waiting.reason == 'ImagePullBackOff'"
        - { sequence: [{ kind: work-done, where: "error =~ 'with ErrImagePull'" }, { kind: status, where: "pod.status.containerStatuses[0].state.waiting.reason == 'ErrImagePull'" }, { kind: work-done, where: "error =~ 'with ImagePullBackOff'" }] }

    - title:
        en: Without the registry
        zh: 不靠镜像仓库
      do:
        - until: "kind == 'work-done' && error =~ 'with ErrImagePull'"
      show: { level: loop, select: { pod: web }, panel: pods }
      exercise:
        text:
          en: The registry will never have \`registry.example/team/app:1.0\`, and the back-off has just been doubled. Get \`app\` running in this pod all the same, without one more \`PullImage\` and without touching the pod.
          zh: 镜像仓库里永远不会有 \`registry.example/team/app:1.0\`，退避也刚刚翻倍。请让 \`app\` 照样在这个 Pod 里运行起来：不再发一次 \`PullImage\`，也不动这个 Pod。
        done:
          - { records: { kind: actual-container, where: "name == 'app' && state == 'running' && attempt == 0", atLeast: 1 } }
          - { event: { pod: web, reason: Pulled, message: "already present on machine" } }
          - { never: { kind: cri-call, where: "method == 'PullImage'" } }
        hint:
          en: >-
            The policy asks the runtime first. What if the image were on the node, as after an import by hand? The faults can also be given as text, and so can any step:
            \`addImage: { ref: "registry.example/team/app:1.0", programs: busybox }\`. Then let the next round come.
          zh: >-
            这个策略先问运行时。要是镜像就在节点上，像手工导入的那样呢？故障也可以用文字写，别的步骤也行：\`addImage: { ref: "registry.example/team/app:1.0", programs: busybox }\`。然后等下一轮到来。
        solution:
          - addImage: { ref: "registry.example/team/app:1.0", programs: busybox }
          - until: "kind == 'actual-container' && name == 'app' && state == 'running'"
            pace: fast

    - title:
        en: Held back from pulling only
        zh: 拦下的只是拉取
      text:
        en: |-
          {{ seconds(time) }} s, and the back-off would have lasted until {{ seconds(first(state.pods['web'].backoffs, b => b.of == 'image-pull').until) }} s. \`imagePullPrecheck\` found the image, so \`pullImage\` was not called, and nobody asked the back-off.

          With \`Never\` it would have started in the same way; without the image such a pod says \`ErrImageNeverPull\`.
        zh: |-
          现在是第 {{ seconds(time) }} 秒，退避本来要到第 {{ seconds(first(state.pods['web'].backoffs, b => b.of == 'image-pull').until) }} 秒。\`imagePullPrecheck\` 找到了镜像，就没有调用 \`pullImage\`，也没有人去问退避。

          换成 \`Never\` 也会这样启动；没有镜像时，这样的 Pod 会写 \`ErrImageNeverPull\`。
      show: { level: loop, select: { container: app, pod: web }, source: EnsureImageExists }
      holds:
        - "time < first(state.pods['web'].backoffs, b => b.of == 'image-pull').until"
        - { records: { kind: decision, where: "rule == 'imagePullPrecheck' && verdict == 'present'", atLeast: 1 } }

    - title:
        en: The image is there, the policy is Always
        zh: 镜像在，策略是 Always
      text:
        en: Now another pod, \`fresh\`, is added. It wants the same image, which is on the node, and has \`imagePullPolicy\` \`Always\`, the default where the tag is \`latest\` or missing. The registry still answers "not found".
        zh: 现在加入另一个 Pod \`fresh\`。它要同一个镜像，镜像就在节点上，但它的 \`imagePullPolicy\` 是 \`Always\`；标签是 \`latest\` 或没写标签时，默认就是这样。镜像仓库仍然回答“没有”。
      ask:
        question:
          en: What becomes of its container?
          zh: 它的容器会怎样？
        options:
          - value: falls back
            text:
              en: It starts. The pull fails, so the image on the node is used
              zh: 启动。拉取失败，就用节点上的镜像
            wrong:
              en: "\`Always\` means that the registry has to agree. A failed pull ends \`startContainer\`, whatever is on the node."
              zh: "\`Always\` 的意思是必须镜像仓库同意。拉取一失败，\`startContainer\` 就结束，不管节点上有什么。"
          - value: waits
            text:
              en: It waits. The image is in back-off on this node
              zh: 等待。这个镜像在本节点上正处于退避
            wrong:
              en: The key of the back-off has the pod's UID in it. This pod has failed at nothing yet.
              zh: 退避的键里有 Pod 的 UID。这个 Pod 还什么都没失败过。
          - value: ErrImagePull
            text:
              en: The pull is tried at once and fails, and it does not start
              zh: 马上尝试拉取，失败，不启动
        then:
          - until: "kind == 'work-done' && pod.pod == 'default/fresh-node1'"
        answer: "error =~ 'with ErrImagePull' ? 'ErrImagePull' : (error =~ 'BackOff' ? 'waits' : 'falls back')"
        right:
          en: "\`imagePullPrecheck\` did not even ask for \`ImageStatus\`. \`PullImage\` went out at once, failed, and \`fresh\` has an entry of its own now. So a pod with \`Always\` cannot start while its registry is away."
          zh: "\`imagePullPrecheck\` 连 \`ImageStatus\` 都没问。\`PullImage\` 马上发出、失败，\`fresh\` 现在有了自己的条目。所以用 \`Always\` 的 Pod，在镜像仓库不可用时启动不了。"
      do:
        - apply:
            apiVersion: v1
            kind: Pod
            metadata:
              name: fresh
            spec:
              terminationGracePeriodSeconds: 2
              containers:
                - name: app
                  image: registry.example/team/app:1.0
                  imagePullPolicy: Always
                  command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.2; done"]
        - until: "kind == 'work-start' && pod.pod == 'default/fresh-node1'"
      show: { level: loop, select: { pod: fresh } }
      holds:
        - "any(state.images, i => i.image == 'registry.example/team/app:1.0' && i.state == 'present')"

    - title:
        en: In short
        zh: 小结
      text:
        en: |-
          The policy says whether the registry is asked: \`Always\` yes, \`IfNotPresent\` only for what is not there, \`Never\` no. The back-off says when, for each pod and image.

          Nobody tells the kubelet that an image has been pushed. Its next round finds it. What is quicker: delete the pod and create it anew in the API server, for a new UID has no back-off.
        zh: |-
          策略决定问不问镜像仓库：\`Always\` 问，\`IfNotPresent\` 没有才问，\`Never\` 不问。退避决定什么时候问，按 Pod 和镜像分别计算。

          镜像推送好了，没有人会告诉 kubelet，要等它的下一轮发现。想快一点，就在 API server 里删掉 Pod 再建：新的 UID 没有退避。
      show: { level: loop, select: { pod: fresh }, panel: events }
      holds:
        - "count(state.pods, p => any(p.backoffs, b => b.of == 'image-pull')) == 2"
        - { records: { kind: cri-call, where: "method == 'PullImage'", exactly: 3 } }
        - { never: { kind: backoff, where: "pod.pod == 'default/fresh-node1' && active && delay != 10s" } }
`;
