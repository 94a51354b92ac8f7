export const en = {
  'pods.volumes': 'Volumes',
  'pods.none': 'No pods.',
  'pods.kill': 'Kill {name}',
  'pods.ready': '{ready} ready, {age}',
  'pods.logs': 'Logs',
  'pods.logsOf': 'Logs of {name}',
  'pods.describe': 'Describe',
  'pods.describeOf': 'Describe {name}',
  'try.title': '{pod} runs. Try:',
  'try.kill': 'kill its container',
  'try.break': 'break its image',
  'try.change': 'change its manifest',
  'try.more': 'something else…',
  'try.dismiss': 'Put these away',
  'try.done.kill': '{container} was killed. Watch how the PLEG finds out.',
  'try.done.break': 'The image of {file} does not exist any more. Watch how the kubelet backs off from pulling it.',
  'try.done.change': '{file} has one more environment variable. A changed static pod is a new pod.',
  'try.noManifest': 'No manifest belongs to this pod.',
  'panel.pods': 'Pods',
  'command.pods': 'Pods',
  'command.tryKill': 'Try: kill its container',
  'command.tryBreak': 'Try: break its image',
  'command.tryChange': 'Try: change its manifest',
  'command.kill': 'Kill',
  'palette.pods': 'pod',
} as const;

declare module '../../i18n/index.js' {
  interface Texts extends Keys<typeof en> {}
}
