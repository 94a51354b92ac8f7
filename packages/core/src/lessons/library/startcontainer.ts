export const startcontainer = `apiVersion: syncloop.dev/v1alpha1
kind: Lesson
metadata:
  name: startcontainer
  title:
    en: startContainer, and how it fails
    zh: startContainer 和它的失败
  summary:
    en: Pull, create, start, postStart. One container fails in each of the four steps in turn, and leaves another reason each time.
    zh: 拉镜像、创建、启动、postStart。同一个容器依次在这四步里各失败一次，每次留下不同的原因。
  minutes: 10
spec:
  goal:
    en: You can tell from a container's waiting reason in which step it failed, what was left behind, and when it is tried again.
    zh: 你能从容器的等待原因看出它在哪一步失败、留下了什么，以及什么时候再试。
  scenario:
    apiVersion: syncloop.dev/v1alpha1
    kind: Scenario
    metadata:
      name: four-failures
      title: { en: Four steps that fail, zh: 四步都失败 }
    spec:
      seed: 1
      node: { fileCheckFrequency: 1s, clusterDNS: ["10.96.0.10"] }
      registry:
        - { ref: "registry.example/app:1", answer: serve, size: 8000000, programs: busybox, bytesPerSecond: 10000000 }
      steps:
        - fault: { name: pull, pull: refused, image: "registry.example/app:1", times: 1 }
        - fault: { name: create, method: CreateContainer, container: app, times: 1, error: { message: "failed to create containerd container: no space left on device" } }
        - fault: { name: start, method: StartContainer, container: app, times: 1, error: { code: Unavailable, message: "failed to start containerd task: connection refused" } }
        - fault: { name: hook, method: ExecSync, times: 1, error: { message: "failed to exec in container: cannot register" } }
        - apply:
            apiVersion: v1
            kind: Pod
            metadata: { name: web }
            spec:
              terminationGracePeriodSeconds: 3
              containers:
                - name: app
                  image: registry.example/app:1
                  command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.2; done"]
                  lifecycle:
                    postStart:
                      exec: { command: ["sh", "-c", "sleep 2"] }
                - name: side
                  image: localhost/busybox:dev
                  imagePullPolicy: IfNotPresent
                  command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.2; done"]
        - waitFor: { pod: web, phase: Running, timeout: 90s }
        - wait: 4s
  steps:
    - title:
        en: Four steps for one container
        zh: 一个容器，四个步骤
      text:
        en: |-
          The sandbox is ready, and \`SyncPod\` calls \`startContainer\` for \`{{ container }}\`. It takes four steps: 1 pull the image, 2 create the container, 3 start it, 4 run its postStart hook. This is step {{ n }}.

          In this run each step fails once. A step that fails ends \`startContainer\`, and a later round begins with step 1 again.
        zh: |-
          沙箱就绪，\`SyncPod\` 为 \`{{ container }}\` 调用 \`startContainer\`。它有四步：1 拉镜像，2 创建容器，3 启动，4 执行 postStart 钩子。现在是第 {{ n }} 步。

          在这次运行里，每一步各失败一次。哪一步失败，\`startContainer\` 就在那里结束，以后的一轮再从第 1 步开始。
      do:
        - until: "kind == 'step' && fn == 'startContainer'"
          pace: fast
      show: { level: loop, select: { pod: web }, source: startContainer }
      holds:
        - "n == 1 && container == 'app'"
        - "count(state.sandboxes, s => s.state == 'ready') == 1"

    - title:
        en: Step 1 fails
        zh: 第 1 步失败
      text:
        en: |-
          The image was not there (\`ImageStatus\`), so it was pulled (\`PullImage\`), and the registry refused. Two Warnings tell it: the image manager's with the whole text, and then \`startContainer\`'s, "{{ message }}".

          The short word is the reason. It goes into the result of the round, and from there to the container's status.
        zh: |-
          镜像不在（\`ImageStatus\`），于是去拉（\`PullImage\`），被镜像仓库拒绝。有两条 Warning：先是 image manager 的，带着全文；再是 \`startContainer\` 的，“{{ message }}”。

          那个短词就是原因。它进入这一轮的结果，再到容器的状态里。
      do:
        - until: "kind == 'kube-event' && startsWith(message, 'Error: ')"
      show: { level: loop, select: { part: images }, panel: events }
      holds:
        - "message == 'Error: ErrImagePull' && reason == 'Failed' && type == 'Warning'"
        - { event: { pod: web, reason: Failed, message: "Failed to pull image", exactly: 1 } }
        - { sequence: [{ kind: cri-return, where: "method == 'ImageStatus'" }, { kind: cri-call, where: "method == 'PullImage'" }, { kind: cri-return, where: "method == 'PullImage' && record.error != null" }] }

    - title:
        en: The next container has its turn
        zh: 轮到下一个容器
      text:
        en: |-
          \`side\` is running at {{ seconds(time) }} s, in the same round. One regular container that cannot start does not keep the following ones from it.

          Only a plain init container would end the round here: no regular container may begin before it has succeeded.
        zh: |-
          第 {{ seconds(time) }} 秒，\`side\` 已经运行，还是同一轮。一个普通容器起不来，不妨碍后面的容器。

          只有普通 init 容器会让这一轮就此结束：它成功之前，普通容器都不能开始。
      do:
        - until: "kind == 'actual-container' && record.state == 'running'"
      show: { level: loop, select: { container: side, pod: web } }
      holds:
        - "record.name == 'side' && state.pods['web'].worker.working && state.pods['web'].worker.syncs == 0"
        - { never: { kind: cri-call, where: "method == 'CreateContainer' && request.config.metadata.name == 'app'" } }

    - title:
        en: A second later
        zh: 一秒之后
      ask:
        question:
          en: A second later the PLEG has seen \`side\` start, and a new round tries \`app\` again. Its image is still missing. Which is the last CRI call that step 1 makes?
          zh: 一秒后 PLEG 看到 \`side\` 启动，新的一轮又来试 \`app\`。镜像还是没有。第 1 步最后发出的是哪个 CRI 调用？
        options:
          - value: PullImage
            text:
              en: "\`PullImage\` - a new round, a new try"
              zh: "\`PullImage\`：新的一轮，再试一次"
            wrong:
              en: Rounds come for many reasons, several in a second at times. The pull has a back-off of its own, counted from its last failure.
              zh: 一轮可能由很多原因引起，有时一秒就有几轮。拉镜像有自己的退避，从上次失败算起。
          - value: ImageStatus
            text:
              en: "\`ImageStatus\` - it looks, but does not pull"
              zh: "\`ImageStatus\`：看一眼，但不拉"
          - value: none
            text:
              en: None - a container in back-off is passed over before step 1
              zh: 没有：退避中的容器在第 1 步之前就跳过了
            wrong:
              en: That is the crash back-off, which is for containers that have run. The back-off of a pull is judged within step 1, after a look whether the image has come by other means.
              zh: 那是崩溃退避，针对运行过的容器。拉镜像的退避在第 1 步里面判断，先看一眼镜像是不是已经由别的途径来了。
        then:
          - until: "kind == 'exit' && fn == 'EnsureImageExists'"
            pace: fast
        answer: "state.cri.recent[-1].method"
        right:
          en: "\`{{ state.cri.recent[-1].method }}\`; then the reason \`{{ record.error }}\`. The back-off ends at {{ seconds(first(state.pods['web'].backoffs, b => b.of == 'image-pull').until) }} s; the worker, too, takes that time for its next try, and adds up to half of the wait."
          zh: "\`{{ state.cri.recent[-1].method }}\`，然后是原因 \`{{ record.error }}\`。退避到第 {{ seconds(first(state.pods['web'].backoffs, b => b.of == 'image-pull').until) }} 秒结束；worker 的下一次也照这个时间安排，并再加上至多一半的等待。"

    - title:
        en: What the API shows
        zh: API 里看到的
      text:
        en: |-
          The next round, at {{ seconds(time) }} s. Before it starts anything it writes the status: \`app\` is waiting with \`{{ first(pod.status.containerStatuses, c => c.name == 'app').state.waiting.reason }}\`.

          That is the result of the round **before**, kept in the reason cache. Such a reason is always one round old.
        zh: |-
          下一轮，第 {{ seconds(time) }} 秒。启动任何东西之前，它先写状态：\`app\` 在等待，原因 \`{{ first(pod.status.containerStatuses, c => c.name == 'app').state.waiting.reason }}\`。

          这是**上一轮**的结果，存在 reason cache 里。这样的原因总是晚一轮。
      do:
        - until: "kind == 'status' && time > 5s"
          pace: fast
      show: { level: loop, select: { pod: web }, tab: what }
      holds:
        - "first(pod.status.containerStatuses, c => c.name == 'app').state.waiting.reason == 'ImagePullBackOff'"
        - "time > first(state.pods['web'].backoffs, b => b.of == 'image-pull').until"

    - title:
        en: Step 2 fails
        zh: 第 2 步失败
      text:
        en: |-
          The pull has worked now. Step 2 makes the container's configuration and calls \`CreateContainer\`; the runtime refused: \`{{ record.error }}\`.

          Nothing is left behind but the image. The next try comes after 10 to 15 s, the worker's wait after any other error. There is no crash back-off: what never ran has not crashed.
        zh: |-
          这次镜像拉到了。第 2 步生成容器的配置，调用 \`CreateContainer\`，被运行时拒绝：\`{{ record.error }}\`。

          除了镜像，什么也没留下。10 到 15 秒后再试，这是 worker 遇到其他错误时的等待。没有崩溃退避：从没运行过，就谈不上崩溃。
      do:
        - until: "kind == 'exit' && fn == 'startContainer' && record.error != null"
          pace: fast
      show: { level: loop, select: { pod: web }, source: startContainer }
      holds:
        - "record.error == 'CreateContainerError' && len(state.containers) == 1"
        - { never: { kind: backoff, where: "of == 'crash-loop'" } }
        - { event: { pod: web, reason: Pulled, message: Successfully pulled image, exactly: 1 } }

    - name: created
      title:
        en: Step 3 fails
        zh: 第 3 步失败
      text:
        en: |-
          {{ seconds(time) }} s. \`CreateContainer\` worked, and the event \`Created\` was written - before the container was started. Then \`StartContainer\` failed: \`{{ record.error }}\`.

          So \`Created\` without \`Started\` after it is the mark of this failure. The container is there, in state \`{{ first(state.containers, c => c.name == 'app').state }}\`.
        zh: |-
          第 {{ seconds(time) }} 秒。\`CreateContainer\` 成功，事件 \`Created\` 也写了，这时容器还没启动。然后 \`StartContainer\` 失败：\`{{ record.error }}\`。

          所以有 \`Created\` 而后面没有 \`Started\`，就是这种失败的标志。容器在那里，状态 \`{{ first(state.containers, c => c.name == 'app').state }}\`。
      do:
        - until: "kind == 'exit' && fn == 'startContainer' && record.error != null"
          pace: fast
      show: { level: loop, select: { container: app, pod: web }, panel: events }
      holds:
        - { records: { kind: queue, where: "why == 'sync error' && due - time >= 10s && due - time <= 15s", atLeast: 3 } }
        - "record.error == 'RunContainerError' && first(state.containers, c => c.name == 'app').state == 'created'"
        - "count(state.events, e => e.object.fieldPath == 'spec.containers{app}' && e.reason == 'Created') == 1 && count(state.events, e => e.object.fieldPath == 'spec.containers{app}' && e.reason == 'Started') == 0"

    - title:
        en: The container left behind
        zh: 留下来的容器
      ask:
        question:
          en: In the next round \`app\` exists, created but never started. What does the worker call for it first?
          zh: 下一轮里 \`app\` 已经存在，创建好了但从没启动。worker 先为它调用什么？
        options:
          - value: StartContainer
            text:
              en: "\`StartContainer\` once more"
              zh: "再来一次 \`StartContainer\`"
            wrong:
              en: "\`startContainer\` has no way in at step 3. A container that was only created is replaced by a new one, even under \`restartPolicy\` \`Never\`."
              zh: "\`startContainer\` 没有从第 3 步进去的入口。只创建而没启动的，就换一个新的，哪怕 \`restartPolicy\` 是 \`Never\`。"
          - value: RemoveContainer
            text:
              en: "\`RemoveContainer\`, to make room for another"
              zh: "\`RemoveContainer\`，先腾地方"
            wrong:
              en: Names do not clash, as the attempt is part of them. The old one stays until garbage collection takes it.
              zh: 名字不会冲突，attempt 是名字的一部分。旧的会留到垃圾回收时再删。
          - value: CreateContainer
            text:
              en: "\`CreateContainer\`, for a new one"
              zh: "\`CreateContainer\`，另建一个"
        then:
          - until: "kind == 'cri-call' && goroutine.name == 'podWorker default/web-node1' && method in ['CreateContainer', 'StartContainer', 'RemoveContainer']"
            pace: fast
        answer: method
        right:
          en: "\`{{ method }}\`, with attempt {{ request.config.metadata.attempt }}: the restart count is that of the newest container of this name plus one, in whatever state that is. So a count above 0 does not prove that anything has run before."
          zh: "\`{{ method }}\`，attempt 为 {{ request.config.metadata.attempt }}：重启计数是同名最新容器的计数加一，不管它处于什么状态。所以计数大于 0，并不能证明之前运行过。"

    - title:
        en: Step 4 fails
        zh: 第 4 步失败
      text:
        en: |-
          This one runs. But its postStart hook failed, and the kubelet now kills the healthy container: event \`{{ reason }}\`, message \`{{ message }}\`.

          The event \`FailedPostStartHook\` before it says only "PostStartHook failed"; the output, which may hold secrets, stands in the log and in the waiting message.
        zh: |-
          这一个运行起来了。但它的 postStart 钩子失败，于是 kubelet 杀掉这个好好的容器：事件 \`{{ reason }}\`，消息 \`{{ message }}\`。

          前面那条事件 \`FailedPostStartHook\` 只说“PostStartHook failed”；钩子的输出可能含有机密，要到日志和等待的消息里看。
      do:
        - until: "kind == 'kube-event' && reason == 'Killing'"
          pace: fast
      show: { level: loop, select: { container: app, pod: web }, panel: events }
      holds:
        - "message == 'FailedPostStartHook' && object.fieldPath == 'spec.containers{app}'"
        - "last(state.containers, c => c.name == 'app').state == 'running'"
        - { event: { pod: web, reason: FailedPostStartHook, message: "PostStartHook failed", exactly: 1 } }
        - { sequence: [{ kind: kube-event, where: "reason == 'Started' && object.fieldPath == 'spec.containers{app}'" }, { kind: step, where: "fn == 'startContainer' && n == 4" }, { kind: cri-return, where: "method == 'ExecSync' && record.error != null" }] }

    - title:
        en: How soon again?
        zh: 多快再来
      ask:
        question:
          en: "Told to stop, \`app\` will end with exit code 0, under \`restartPolicy: Always\`. What becomes of its next start?"
          zh: "\`app\` 收到停止信号，会以退出码 0 结束，\`restartPolicy: Always\`。下一次启动会怎样？"
        options:
          - value: at once
            text:
              en: It is started as soon as a round sees it dead
              zh: 有一轮看到它死了，就立刻启动
          - value: held back
            text:
              en: It is held back for 10 s, with \`CrashLoopBackOff\`
              zh: 压住 10 秒，原因 \`CrashLoopBackOff\`
            wrong:
              en: The first restart is free, and this is the first time that it has exited. The 10 s are noted for the next time.
              zh: 第一次重启不用等，而它这是第一次退出。那 10 秒是记给下一次的。
          - value: not at all
            text:
              en: It is not started, for 0 is no failure
              zh: 不再启动，因为 0 不算失败
            wrong:
              en: Under \`Always\` the exit code does not matter; that would be \`OnFailure\`.
              zh: 在 \`Always\` 下退出码无关紧要，那是 \`OnFailure\` 的规则。
        then:
          - until: "kind == 'backoff' && of == 'crash-loop'"
            pace: fast
        answer: "active ? 'held back' : 'at once'"
        right:
          en: It exited at {{ seconds(last(state.containers, c => c.name == 'app').since) }} s and is tried again at {{ seconds(time) }} s. Should it end again soon, it will have to wait {{ seconds(delay) }} s from its end.
          zh: 它在第 {{ seconds(last(state.containers, c => c.name == 'app').since) }} 秒退出，第 {{ seconds(time) }} 秒再次启动。如果很快又结束，就要从结束时起等 {{ seconds(delay) }} 秒。

    - title:
        en: All four
        zh: 四步都成
      text:
        en: |-
          At last the hook succeeded. It took {{ seconds(took) }} s, and the worker stood in \`ExecSync\` as long; had \`side\` died meanwhile, nobody would have restarted it before.

          The call has no time limit, and the context it runs under cannot be cancelled. Even the deletion of the pod has to wait for a hook that does not return.
        zh: |-
          钩子终于成功了。它用了 {{ seconds(took) }} 秒，worker 也在 \`ExecSync\` 里停了这么久；这期间 \`side\` 要是死了，也没有人去重启。

          这个调用没有时限，它所用的 context 也不能取消。钩子一直不返回，连删除 Pod 也只能等着。
      do:
        - until: "kind == 'cri-return' && method == 'ExecSync'"
          pace: fast
      show: { level: loop, select: { goroutine: "podWorker default/web-node1" } }
      holds:
        - "record.error == null && took > 2s"
        - "goroutine.name == 'podWorker default/web-node1' && state.pods['web'].worker.working"

    - title:
        en: A failure of your own
        zh: 自己造一个失败
      exercise:
        text:
          en: Make \`startContainer\` end with \`RunContainerError\` for the container \`side\`.
          zh: 让 \`startContainer\` 为容器 \`side\` 以 \`RunContainerError\` 结束。
        done:
          - { records: { kind: exit, where: "fn == 'startContainer' && record.error == 'RunContainerError'", atLeast: 1 } }
          - { records: { kind: step, where: "fn == 'startContainer' && n == 3 && container == 'side'", atLeast: 1 } }
        hint:
          en: That is step 3. A fault can make one call of \`StartContainer\` fail; then \`side\` needs a reason to be started again.
          zh: 那是第 3 步。故障可以让一次 \`StartContainer\` 失败；然后还得让 \`side\` 有理由重新启动。
        solution:
          - fault: { method: StartContainer, container: side, times: 1, error: { code: Unavailable, message: "connection refused" } }
          - kill: { pod: web, container: side }
          - until: "kind == 'exit' && fn == 'startContainer' && record.error != null"

    - title:
        en: In short
        zh: 小结
      text:
        en: |-
          Step 1: \`ErrImagePull\`, then \`ImagePullBackOff\`. Step 2: \`CreateContainerConfigError\` before the runtime is asked, \`CreateContainerError\` after. Step 3: \`RunContainerError\`. Step 4: \`PostStartHookError\`.

          \`CrashLoopBackOff\` is none of them: there, \`startContainer\` is not even called.
        zh: |-
          第 1 步：\`ErrImagePull\`，之后是 \`ImagePullBackOff\`。第 2 步：请求运行时之前失败是 \`CreateContainerConfigError\`，之后是 \`CreateContainerError\`。第 3 步：\`RunContainerError\`。第 4 步：\`PostStartHookError\`。

          \`CrashLoopBackOff\` 不在其中：那时根本没有调用 \`startContainer\`。
      show: { level: loop, select: { pod: web }, panel: events }
      holds:
        - { sequence: [{ kind: exit, where: "fn == 'startContainer' && record.error == 'ErrImagePull'" }, { kind: exit, where: "fn == 'startContainer' && record.error == 'ImagePullBackOff'" }, { kind: exit, where: "fn == 'startContainer' && record.error == 'CreateContainerError'" }, { kind: exit, where: "fn == 'startContainer' && record.error == 'RunContainerError'" }, { kind: exit, where: "fn == 'startContainer' && record.error == 'PostStartHookError'" }] }
`;
