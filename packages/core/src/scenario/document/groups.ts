/** The groups in which the scenarios of the library are listed, in the order to meet them. */
export const scenarioGroups = [
  'first',
  'config',
  'loop',
  'images',
  'starting',
  'dying',
  'probes',
  'stopping',
  'node',
  'postmortems',
  'eras',
] as const;
export type ScenarioGroup = (typeof scenarioGroups)[number];
