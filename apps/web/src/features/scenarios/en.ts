export const en = {
  'find.view.scenarios': 'examples gallery demo',
  'scenarios.load': 'Load',
  'scenarios.loaded': 'loaded',
  'scenarios.seed': 'seed',
  'scenarios.seedHelp': 'The same seed gives the same run, to the last record.',
  'scenarios.none': 'This session has no scenarios to load.',
  'scenarios.filter': 'Find a scenario',
  'scenarios.noMatch': 'No scenario has all these words.',
  'scenarios.passed': 'last run: as expected',
  'scenarios.failedLast': 'last run: not as expected',
  'scenarios.group.first': 'First steps',
  'scenarios.group.config': 'Where pods come from, how they change',
  'scenarios.group.loop': 'The loop under load',
  'scenarios.group.images': 'Images',
  'scenarios.group.starting': 'What fails on the way up',
  'scenarios.group.dying': 'Dying and coming back',
  'scenarios.group.probes': 'Probes',
  'scenarios.group.stopping': 'Stopping',
  'scenarios.group.node': 'The node and the kubelet itself',
  'scenarios.group.other': 'Others',
  'command.scenarioFromPod': 'Make a scenario of a pod',
  'manifests.scenarioMade': 'The scenario runs what kubectl told of the pod.',
  'menu.scenarios': 'Choose a scenario',
  'panel.scenarios': 'Scenarios',
  'command.scenarios': 'Scenarios',
  'command.loadScenario': 'Load a scenario',
  'palette.scenarios': 'Scenarios',
} as const;

declare module '../../i18n/index.js' {
  interface Texts extends Keys<typeof en> {}
}
