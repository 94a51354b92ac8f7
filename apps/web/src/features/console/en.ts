export const en = {
  'find.view.console': 'terminal kubectl crictl shell command line exec describe logs',
  'find.view.podTable': 'kubectl get pods list wide',
  'panel.console': 'Console',
  'panel.podTable': 'Pod table',
  'command.console': 'Console: commands of kubectl, crictl and the debugger',
  'command.podTable': 'Pod table, as kubectl get pods',
  'command.consoleRun': 'Run a line in the console',
  'command.consoleClear': 'Empty the console',
  'console.input': 'Command',
  'console.placeholder': 'kubectl get pods -o wide, logs POD, exec POD -- ps, why POD; help',
  'console.more': 'More lines of the input. Ctrl+Enter ends it.',
  'console.output': 'Output of the console',
  'console.run': 'Run',
  'console.stop': 'Stop (Ctrl+C)',
  'console.goesOn': 'still running; Ctrl+C ends it',
  'console.clear': 'Clear',
  'console.copy': 'Copy output',
  'console.again': 'Run again',
  'console.copied': 'Copied.',
  'console.noClipboard': 'This page may not write to the clipboard: select the text and copy it.',
  'console.cut': '{n} earlier lines were left out. Ask for fewer lines: --tail 100, -l, or a name.',
  'console.candidates': 'Suggestions',
  'console.candidatesN': '{n} suggestions',
  'console.search': 'search in what was typed',
  'console.welcome':
    'kubectl, k, crictl, or the words alone: get pods, describe pod, logs, exec, delete, explain. Tab completes, ↑ brings back, help lists all. Pods are shown as the status manager of the kubelet has them; what an API server has may be older.',
  'console.didYouMean': 'Did you mean {name}?',
  'console.recordsOnly':
    'This session has only what its records contain of its pods: their status, not the whole object.',
  'console.observed': 'This is the pod as the kubelet last observed it.',
  'console.psAll': 'Containers that have exited are not listed here; crictl ps -a lists them too.',
  'console.watchEnds': 'The run has moved to another moment, so the watch ends.',
  'console.containers': 'Its containers: {names}',
  'console.noLogs':
    'This session cannot read container logs. On the node itself: crictl logs {id}, or the files in /var/log/pods.',
  'console.logCut': 'Only the newest {n} lines are shown.',
  'console.logEmpty': 'The container has written nothing.',
  'console.noExec': 'Commands can be run in containers of a simulation only. On a node: crictl exec.',
  'console.noTerminal':
    'There is no terminal here: the command runs without input, and its output comes when it has ended.',
  'console.execWaits': 'The simulation stands still. Let it run (continue) or step, and the command goes on.',
  'console.readOnly': 'This session cannot be changed: it is a recording, or a node that is only observed.',
  'console.noFile': 'Files in the manifest folder: {files}',
  'console.noFiles': 'The manifest folder is empty.',
  'console.appliedFile':
    'This node has no API server: written to the manifest folder as {file}. The file source sees it at its next look.',
  'console.removedFile': '{file} deleted. The file source sees it at its next look, and the kubelet ends the pod.',
  'console.deletedMirror':
    'This is a static pod of {file}: only its mirror in the API server was deleted. The kubelet makes a new one, and the containers go on. To end it: rm {file}',
  'console.noServer':
    'This is a static pod of {file}, on a node without an API server: there is nothing to delete it from. To end it: rm {file}',
  'console.notInServer':
    'The kubelet runs it from {file}, but the API server has no mirror of it yet. To end it: rm {file}',
  'console.staticElsewhere':
    'This is a static pod, but no manifest in the folder is its; it may come from a URL. The kubelet runs it for as long as its source has it.',
  'console.editing': 'The editor is open: {file}. Applying it there sends what kubectl edit would send.',
  'console.noManifest':
    'No manifest in the folder belongs to {pod}. For a pod of the API server, apply a changed manifest: apply -f -',
  'console.serverHas': 'The API server has another state: {pods}',
  'console.noControl': 'This session runs by itself and cannot be paused or stepped.',
  'console.noRewind': 'This session cannot go back in time.',
  'console.position': 'record {seq}, {time} s, decision {step}, iteration {iteration}',
  'console.positionNext': 'record {seq}, {time} s, decision {step}, iteration {iteration}; next: {next}',
  'console.runs': 'The run goes on. The command pause stops it.',
  'console.needsServer':
    'there is no API server here that has {what}; load a scenario with one, for example mirror-pod',
  'console.ownNode': 'There is no API server: this is the node as the kubelet determined it once, at its start.',
  'console.why': 'The answer is in the inspector.',
  'console.whyWhat': 'Why what? Name a pod: why POD',
  'console.helpMore': 'help WORD shows how a command is written, and its flags.',
  'podTable.label': 'Pods, as kubectl get pods -o wide',
  'podTable.none': 'The kubelet has given no pod a status yet.',
  'podTable.noMatch': 'No pod matches.',
  'podTable.view':
    "The kubelet's own view: what its status manager has. AGE counts from the pod's creation, or from when the kubelet took it in.",
  'podTable.server': 'API server',
  'podTable.serverHelp': 'The same pod as the API server in this scenario has it',
  'podTable.serverSame': 'same',
  'podTable.serverNone': 'not there',
  'podTable.watch': 'Watch (-w)',
  'podTable.watchHelp': 'A line for each change of a status, as kubectl get pods -w',
  'podTable.filterEmpty': 'No status was set yet.',
  'podTable.gone': 'gone',
} as const;

declare module '../../i18n/index.js' {
  interface Texts extends Keys<typeof en> {}
}
