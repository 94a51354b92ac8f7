export const en = {
  'palette.names': 'Names of the kubelet’s source',
  'palette.topics': 'Parts of the kubelet',
  'palette.terms': 'Glossary',
  'command.nameStop': 'Stop at a name, in a version that has it',
  'names.go': '{name}: its place on the map and its source',
  'names.goWithin': '{name} is used in {fn}: its place on the map and its source',
  'names.source': 'Source: {name}',
  'names.stop': 'Stop at {name}: {where}',
  'names.within': 'Stop where {name} is used: {where}',
  'names.set': 'A breakpoint is set for {name}: {where}',
  'names.other': 'To stop at {name}, run {other}: {where}',
  'names.became': 'What became of {name}: {text}',
  'names.unsimulated': 'not simulated: {because}',
  'names.noBreakpoints': 'this session has no breakpoints',
  'names.part': 'In the graph: {title}',
  'names.lesson': 'Lesson: {title}',
};

declare module '../../i18n/index.js' {
  interface Texts extends Keys<typeof en> {}
}
