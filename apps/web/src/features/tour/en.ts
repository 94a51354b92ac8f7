export const en = {
  'command.tourStart': 'Follow one pod: a tour',
  'find.tour.start': 'guide introduction walkthrough beginner newcomer start here',
  'command.tourNext': 'Tour: the next stop',
  'command.tourBack': 'Tour: the stop before',
  'command.tourLeave': 'Leave the tour',
  'tour.title': 'Tour: follow one pod',
  'tour.of': 'Stop {n} of {m}',
  'tour.done': 'The tour is over',
  'tour.next': 'Go on',
  'tour.back': 'Back',
  'tour.leave': 'Leave the tour',
  'tour.voice': 'read aloud',
  'tour.keys': '[→] goes on, [←] goes back, [Esc] leaves',
  'tour.never': 'within two minutes of the run nothing came of “{stop}”',
  'tour.failed': 'The tour could not continue: {why}',
  'tour.manifest.title': 'A manifest arrives',
  'tour.manifest.what':
    'A file in the manifest folder describes a pod. The file source has read it, and wants that pod.',
  'tour.manifest.why':
    'A kubelet takes pods from three sources: files, a URL, and the API server. None of them starts anything.',
  'tour.config.title': 'PodConfig finds the difference',
  'tour.config.what':
    'PodConfig compares what the source wants with what it wanted before. The pod is new, so it puts ADD on the channel configCh.',
  'tour.config.why':
    'The loop never compares manifests. It receives differences: ADD, UPDATE, REMOVE, DELETE, RECONCILE.',
  'tour.select.title': 'The loop takes it',
  'tour.select.what': 'syncLoop was waiting at all of its channels at once. It takes the ADD from configCh.',
  'tour.select.why':
    'This select is the heart of the kubelet: whatever happens on a node passes through it, one thing at a time.',
  'tour.handler.title': 'A handler, and admission',
  'tour.handler.what':
    'HandlePodAdditions asks whether this node can run the pod: whether resources are left, ports are free, selectors match.',
  'tour.handler.why': 'A pod that is refused here fails at once. None of its containers ever starts.',
  'tour.worker.title': 'A worker of its own',
  'tour.worker.what': 'The pod gets a worker, which is a goroutine of its own, and its first piece of work.',
  'tour.worker.why': 'Now the loop is free again. A pod that is slow to start never holds up another one.',
  'tour.sync.title': 'SyncPod begins',
  'tour.sync.what': 'The worker calls SyncPod: numbered steps that bring the pod closer to its spec.',
  'tour.sync.why': 'SyncPod may run again at any time, because each step first looks at what is already done.',
  'tour.actions.title': 'What is missing?',
  'tour.actions.what':
    'computePodActions compares the spec with what runs. Nothing runs yet, so it asks for a sandbox and for the containers.',
  'tour.actions.why':
    'It only decides and changes nothing. A kubelet that crashed computes the same again, and continues.',
  'tour.sandbox.title': 'The sandbox',
  'tour.sandbox.what': 'The kubelet asks the container runtime over the CRI for a sandbox: RunPodSandbox.',
  'tour.sandbox.why':
    'A sandbox is the network of the pod, with a process that keeps it open. All its containers share it.',
  'tour.image.title': 'The image',
  'tour.image.what': 'Before a container can be created, its image must be on the node.',
  'tour.image.why': 'imagePullPolicy decides whether the registry is asked. On real nodes most of the waiting is here.',
  'tour.create.title': 'The container is created',
  'tour.create.what':
    'CreateContainer tells the runtime everything about the container: its image, command, mounts, limits and user.',
  'tour.create.why': 'No process runs yet.',
  'tour.start.title': 'The process runs',
  'tour.start.what': 'StartContainer has returned: the process of the container runs.',
  'tour.start.why': 'The worker does not watch it from here on. Something else has to notice what becomes of it.',
  'tour.pleg.title': 'PLEG notices',
  'tour.pleg.what':
    'PLEG lists all containers again and again, and compares. It sees a new one, and puts ContainerStarted on plegCh.',
  'tour.pleg.why':
    'That closes the loop: the event makes the worker sync again, and this time it sees the container run.',
  'tour.status.title': 'The pod is Running',
  'tour.status.what': 'The next sync has computed the status anew: the phase is Running.',
  'tour.status.why': 'With an API server the status manager now writes it there, and kubectl shows it.',
  'tour.end.title': 'Now you',
  'tour.end.what':
    'Kill the container and watch the same loop bring it back. Change the pod. Or drop the log of your own kubelet onto this page.',
  'tour.end.why': 'Every step can be gone through again, forwards and backwards.',
  'tour.source': 'Show the code that runs here',
  'tour.kill': 'Kill the container',
  'tour.change': 'Change the pod',
  'tour.lessons': 'Lessons',
} as const;

declare module '../../i18n/index.js' {
  interface Texts extends Keys<typeof en> {}
}
